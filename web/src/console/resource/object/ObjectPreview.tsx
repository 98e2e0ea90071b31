import { Loader, Portal, Text } from '@mantine/core';
import {
  adminUser,
  asset,
  assetPermission,
  domain,
  type Lasting,
  node,
  type Resource,
  say,
  session,
  systemUser,
  user,
  userGroup,
} from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { api } from '../../../kit/api.ts';
import { common, language, t } from '../../../kit/i18n/index.ts';
import { displayOf, findSummary } from '../../base/resources.ts';
import { words as detailWords } from '../detail/words.ts';
import { defaultCell } from '../list/table/columns.tsx';
import { State } from '../list/table/State.tsx';
import { cacheKey, objectUrl } from '../source.ts';
import styles from './ObjectPreview.module.css';

/** The content of a preview. */
interface Preview {
  readonly resource: Resource;
  /** Field names; `state` stands for the state computed from the activity and the dates. */
  readonly facts: readonly string[];
}

const preview = <const R extends Resource<never> | Resource>(
  resource: R,
  ...facts: readonly ((keyof R['fields'] & string) | 'state')[]
): Preview => ({
  resource: resource as Resource,
  facts,
});

/** Facts that distinguish objects, by resource. */
const PREVIEWS: Readonly<Partial<Record<string, Preview>>> = {
  user: preview(user, 'role_display', 'groups_display', 'last_login', 'state'),
  user_group: preview(userGroup, 'users_amount', 'comment'),
  asset: preview(asset, 'ip', 'platform', 'protocols', 'domain_display', 'is_active', 'comment'),
  node: preview(node, 'assets_amount'),
  domain: preview(domain, 'asset_count', 'gateway_count', 'comment'),
  admin_user: preview(adminUser, 'username', 'assets_amount', 'comment'),
  system_user: preview(
    systemUser,
    'username',
    'protocol',
    'login_mode_display',
    'assets_amount',
    'comment',
  ),
  asset_permission: preview(
    assetPermission,
    'users_amount',
    'user_groups_amount',
    'assets_amount',
    'nodes_amount',
    'date_expired',
    'state',
  ),
  session: preview(
    session,
    'user',
    'asset',
    'system_user',
    'date_start',
    'date_end',
    'command_amount',
  ),
};

const MARGIN = 8;
/** Cache time in milliseconds of the facts of an object. */
const FRESH = 30_000;

interface ObjectPreviewProps {
  /** Id of the card for `aria-describedby` of the link. */
  readonly id: string;
  readonly resource: string;
  readonly objectId: string;
  readonly anchor: RefObject<HTMLElement | null>;
}

/** A card with a few facts about an object, below its link or, without room, above it. */
export function ObjectPreview({ id, resource, objectId, anchor }: ObjectPreviewProps) {
  const preview = PREVIEWS[resource];
  const summary = findSummary(resource);
  const card = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState<{ readonly top: number; readonly left: number }>();
  const query = useQuery({
    queryKey: [...cacheKey(summary ?? { path: resource }), 'detail', objectId],
    queryFn: ({ signal }) =>
      api.get<object & Lasting>(objectUrl(summary ?? { path: resource }, objectId), {
        signal,
        quiet: true,
      }),
    enabled: preview !== undefined && summary !== undefined,
    staleTime: FRESH,
  });
  // The size changes when the facts arrive.
  const state = query.status;
  useLayoutEffect(() => {
    const link = anchor.current?.getBoundingClientRect();
    const box = card.current?.getBoundingClientRect();
    if (!link || !box || !state) return;
    const below =
      link.bottom + box.height + MARGIN <= window.innerHeight || link.top < box.height + MARGIN;
    setPlace({
      top: below ? link.bottom : link.top - box.height,
      left: Math.max(MARGIN, Math.min(link.left, window.innerWidth - box.width - MARGIN)),
    });
  }, [anchor, state]);
  if (!preview || !summary) return null;

  const object: Readonly<Record<string, unknown>> | undefined = query.data && { ...query.data };
  const lasts = preview.facts.includes('state');
  const facts = object
    ? preview.facts.filter(
        (name) => object[name] !== null && object[name] !== undefined && object[name] !== '',
      )
    : [];
  return (
    <Portal>
      <div ref={card} id={id} role="tooltip" className={styles.card} hidden={!place} style={place}>
        <Text span fz="xs" c="dimmed">
          {say(summary.title, language)}
        </Text>
        {query.isPending && (
          <Loader role="status" size={12} ml="xs" aria-label={t(common.loading)} />
        )}
        {query.isError && <div>{t(detailWords.resourceLost)}</div>}
        {object && (
          <>
            <span className={styles.title}>{displayOf(summary)(object)}</span>
            {lasts && query.data && <State of={query.data} />}
            <dl className={styles.facts}>
              {facts.map((name) => {
                const field = preview.resource.fields[name];
                return field ? (
                  <FactRow
                    key={name}
                    label={say(field.label, language)}
                    value={defaultCell(object, name, field)}
                  />
                ) : null;
              })}
            </dl>
          </>
        )}
      </div>
    </Portal>
  );
}

function FactRow({
  label,
  value,
}: {
  readonly label: string;
  readonly value: ReturnType<typeof defaultCell>;
}) {
  return (
    <>
      <dt>{label}</dt>
      <dd>{value}</dd>
    </>
  );
}

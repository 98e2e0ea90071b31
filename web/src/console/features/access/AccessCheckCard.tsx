import { Loader, Text } from '@mantine/core';
import type { AccessCheck, NearPermission } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../kit/api.ts';
import { formatDate } from '../../../kit/format.ts';
import { t } from '../../../kit/i18n/index.ts';
import { IconShieldCheck } from '../../../kit/icons.ts';
import { useSearchRecord } from '../../base/navigation.tsx';
import { Card } from '../../resource/detail/Cards.tsx';
import detail from '../../resource/detail/Detail.module.css';
import { RemoteSelect } from '../../resource/form/RemoteSelect.tsx';
import { YesNo } from '../../resource/list/columns.tsx';
import { LoadFailed } from '../../resource/list/ListStates.tsx';
import { Moment } from '../../resource/list/Moment.tsx';
import { ObjectLink } from '../../resource/object/ObjectLink.tsx';
import { referenceTo } from '../../resource/references.ts';
import styles from './Access.module.css';
import { AccessAccounts, AccessReasons } from './AccessReasons.tsx';
import { APP_OBSTACLE_TEXTS, GENERAL_TEXTS, OBSTACLE_TEXTS, words } from './words.ts';

/** What the check is about: a user, to be checked against an asset; or an asset or an application, to be checked against a user. */
type About =
  | { readonly user: string }
  | { readonly asset: string }
  | { readonly remote_app: string }
  | { readonly database_app: string };

/** Where each kind of application is asked about, and the resource of its permissions. */
const APPS = {
  remote_app: { url: 'perms/access/remote-apps/check/', rule: 'remote_app_permission' },
  database_app: { url: 'perms/access/database-apps/check/', rule: 'database_app_permission' },
} as const;
const ASSETS = { url: 'perms/access/check/', rule: 'asset_permission' } as const;

/** Answers whether a user reaches an asset and why, or what is in the way, the nearest permission first. */
export function AccessCheckCard({ about }: { readonly about: About }) {
  // The search leads here with the other side in the address.
  const { check } = useSearchRecord();
  const [chosen, setChosen] = useState<readonly string[]>(check ? [check] : []);
  const isAboutUser = 'user' in about;
  const { url, rule } =
    'remote_app' in about ? APPS.remote_app : 'database_app' in about ? APPS.database_app : ASSETS;
  const reference = referenceTo(isAboutUser ? 'asset' : 'user');
  const [other] = chosen;
  const query = useQuery({
    queryKey: ['access-check', about, other],
    queryFn: ({ signal }) =>
      api.get<AccessCheck>(url, {
        query: { ...about, [isAboutUser ? 'asset' : 'user']: other },
        signal,
      }),
    enabled: other !== undefined,
    staleTime: 0,
  });
  if (!reference) return null;
  return (
    <Card title={t(words.checkTitle)} icon={<IconShieldCheck size={16} />}>
      <div className={`${detail.body} ${styles.stack}`}>
        <RemoteSelect
          reference={reference}
          label={t(isAboutUser ? words.chooseAsset : words.chooseUser)}
          multiple={false}
          value={chosen}
          onChange={setChosen}
          clearable
        />
        <div aria-live="polite">
          {other !== undefined && query.isPending && <Loader size="xs" />}
          {query.error && <LoadFailed error={query.error} onRetry={() => void query.refetch()} />}
          {other !== undefined && query.data && <Verdict check={query.data} rule={rule} />}
        </div>
      </div>
    </Card>
  );
}

function Verdict({
  check: { granted, access, general, near },
  rule,
}: {
  readonly check: AccessCheck;
  readonly rule: string;
}) {
  return (
    <div className={styles.verdict}>
      <YesNo value={granted} yes={t(words.yes)} no={t(words.no)} />
      {access && (
        <>
          <div>
            {t(words.accounts)}: <AccessAccounts accounts={access.accounts} /> · {t(words.until)}:{' '}
            <Moment date={access.valid_until} />
          </div>
          <AccessReasons paths={access.paths} rule={rule} />
        </>
      )}
      {general.map((obstacle) => (
        <div key={obstacle}>{t(GENERAL_TEXTS[obstacle])}</div>
      ))}
      {near.length > 0 && (
        <>
          <Text fz="xs" c="dimmed">
            {t(words.nearest)}
          </Text>
          <ul>
            {near.map((one) => (
              <li key={one.permission.id}>
                <ObjectLink resource={rule} id={one.permission.id}>
                  {one.permission.name}
                </ObjectLink>
                : {obstaclesText(one, rule !== ASSETS.rule)}
              </li>
            ))}
          </ul>
        </>
      )}
      {!granted && general.length === 0 && near.length === 0 && (
        <div>{t(rule === ASSETS.rule ? words.nothing : words.nothingApp)}</div>
      )}
    </div>
  );
}

function obstaclesText(
  { obstacles, date_start, date_expired }: NearPermission,
  isApp: boolean,
): string {
  const texts = { ...OBSTACLE_TEXTS, ...(isApp && APP_OBSTACLE_TEXTS) };
  return obstacles
    .map((obstacle) =>
      t(texts[obstacle], {
        date: formatDate(obstacle === 'not_started' ? date_start : date_expired),
      }),
    )
    .join('; ');
}

import { Button, Group, Loader, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import {
  type AccessCheck,
  isAddress,
  type NearPermission,
  type Obstacle,
} from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, SEARCH_DELAY } from '../../../kit/api.ts';
import { formatDate } from '../../../kit/format/format.ts';
import { language, t } from '../../../kit/i18n/index.ts';
import { IconShieldCheck } from '../../../kit/icons.ts';
import { useGoButton, useSearchRecord } from '../../base/navigation.tsx';
import { usePages } from '../../base/resources.ts';
import { Card } from '../../resource/detail/Cards.tsx';
import detail from '../../resource/detail/Detail.module.css';
import { RemoteSelect } from '../../resource/form/RemoteSelect.tsx';
import { LoadFailed } from '../../resource/list/ListStates.tsx';
import { YesNo } from '../../resource/list/table/columns.tsx';
import { Moment } from '../../resource/list/table/Moment.tsx';
import { ObjectLink } from '../../resource/object/ObjectLink.tsx';
import { referenceTo } from '../../resource/references.ts';
import styles from './Access.module.css';
import { AccessAccounts, AccessReasons } from './AccessReasons.tsx';
import {
  APP_OBSTACLE_TEXTS,
  GENERAL_TEXTS,
  OBSTACLE_TEXTS,
  PROTOCOL_TEXTS,
  words,
} from './words.ts';

/** The sides of the check that the page names; the reader chooses the others. */
type About = Partial<Record<'user' | Target, string>>;

type Target = 'asset' | keyof typeof APPS;

/** The check endpoint and the permission resource of each kind of application. */
const APPS = {
  remote_app: { url: 'perms/access/remote-apps/check/', rule: 'remote_app_permission' },
  database_app: { url: 'perms/access/database-apps/check/', rule: 'database_app_permission' },
  cluster: { url: 'perms/access/clusters/check/', rule: 'cluster_permission' },
} as const;
const ASSETS = { url: 'perms/access/check/', rule: 'asset_permission' } as const;

const targetOf = (about: About): Target =>
  (['remote_app', 'database_app', 'cluster'] as const).find((kind) => kind in about) ?? 'asset';

/** The access check as a card of the page of a user, an asset or an application. */
export function AccessCheckCard({ about }: { readonly about: About }) {
  return (
    <Card title={t(words.checkTitle)} icon={<IconShieldCheck size={16} />}>
      <div className={detail.body}>
        <AccessCheckForm about={about} />
      </div>
    </Card>
  );
}

/**
 * Shows if a user can reach an asset or application, with the reasons or the obstacles. The nearest
 * permission comes first.
 */
export function AccessCheckForm({ about }: { readonly about: About }) {
  // The search page presets the other side of the check in the address.
  const { check } = useSearchRecord();
  const [at, setAt] = useState('');
  const [address, setAddress] = useState('');
  const target = targetOf(about);
  const missing = (['user', target] as const).filter((side) => about[side] === undefined);
  const [chosen, setChosen] = useState<About>(
    check && missing[0] && missing.length === 1 ? { [missing[0]]: check } : {},
  );
  const { url, rule } = target === 'asset' ? ASSETS : APPS[target];
  const sides = { ...chosen, ...about };
  const isComplete = sides.user !== undefined && sides[target] !== undefined;
  const [moment] = useDebouncedValue(momentOf(at, address), SEARCH_DELAY);
  const query = useQuery({
    queryKey: ['access-check', sides, moment],
    queryFn: ({ signal }) =>
      api.get<AccessCheck>(url, { query: { ...sides, ...moment }, signal, quiet: true }),
    enabled: isComplete,
    staleTime: 0,
  });
  return (
    <div className={styles.stack}>
      {missing.map((side) => {
        const reference = referenceTo(side);
        return (
          reference && (
            <RemoteSelect
              key={side}
              reference={reference}
              label={t(side === 'user' ? words.chooseUser : words.chooseAsset)}
              multiple={false}
              value={chosen[side] === undefined ? [] : [chosen[side]]}
              onChange={([id]) => setChosen({ ...chosen, [side]: id })}
              clearable
            />
          )
        );
      })}
      {isComplete && (
        <Group grow align="start">
          <TextInput
            type="datetime-local"
            label={t(words.atTime)}
            description={t(words.atTimeHelp)}
            value={at}
            onChange={(event) => setAt(event.currentTarget.value)}
          />
          <TextInput
            label={t(words.fromAddress)}
            description={t(words.fromAddressHelp)}
            value={address}
            error={address !== '' && !isAddress(address.trim()) && t(words.notAddress)}
            onChange={(event) => setAddress(event.currentTarget.value)}
          />
        </Group>
      )}
      <div aria-live="polite">
        {isComplete && query.isPending && <Loader size="xs" />}
        {query.error && <LoadFailed error={query.error} onRetry={() => void query.refetch()} />}
        {isComplete && query.data && (
          <>
            <Verdict check={query.data} rule={rule} />
            {!query.data.granted && (
              <GrantButton
                rule={rule}
                search={{
                  user: sides.user ?? '',
                  [target === 'asset' ? 'asset' : 'app']: sides[target] ?? '',
                }}
              />
            )}
          </>
        )}
      </div>
    </div>
  );
}

/** Opens the form of a permission for the checked user and target. */
function GrantButton({
  rule,
  search,
}: {
  readonly rule: string;
  readonly search: Readonly<Record<string, string>>;
}) {
  const { create } = usePages(rule);
  const goButton = useGoButton();
  return (
    create && (
      <Button variant="light" size="xs" mt="sm" {...goButton(create, { search })}>
        {t(words.grantAccess)}
      </Button>
    )
  );
}

/** The time and address of a check, as query parameters. Unfinished ones are left out. */
function momentOf(at: string, address: string) {
  const time = new Date(at);
  const client = address.trim();
  return {
    ...(!Number.isNaN(time.getTime()) && { at: time.toISOString() }),
    ...(isAddress(client) && { address: client }),
  };
}

function Verdict({
  check: { granted, access, general, near },
  rule,
}: {
  readonly check: AccessCheck;
  readonly rule: string;
}) {
  const isRefusedNow = access?.paths.every(({ condition }) => condition?.not_now);
  return (
    <div className={styles.verdict}>
      <YesNo
        value={granted && !isRefusedNow}
        yes={t(words.yes)}
        no={t(isRefusedNow ? words.notNow : words.no)}
      />
      {access && (
        <>
          <div>
            {t(words.accounts)}: <AccessAccounts accounts={access.accounts} />
            {` · ${t(words.until)}: `}
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

const list = (names: readonly string[]) =>
  new Intl.ListFormat(language === 'zh' ? 'zh-CN' : 'en', { type: 'disjunction' }).format(names);

function obstaclesText(near: NearPermission, isApp: boolean): string {
  const { obstacles, date_start, date_expired } = near;
  const [spoken, offered] = [near.account_protocols, near.target_protocols];
  const texts = { ...OBSTACLE_TEXTS, ...(isApp && APP_OBSTACLE_TEXTS) };
  const textOf = (obstacle: Obstacle) => {
    if (obstacle !== 'protocol') return texts[obstacle];
    if (spoken.length === 0) return PROTOCOL_TEXTS.noSystemUser;
    if (offered.length > 0) return texts.protocol;
    return isApp ? PROTOCOL_TEXTS.hostLacks : PROTOCOL_TEXTS.nothingOffered;
  };
  return obstacles
    .map((obstacle) =>
      t(textOf(obstacle), {
        date: formatDate(obstacle === 'not_started' ? date_start : date_expired),
        spoken: list(spoken),
        offered: list(offered),
      }),
    )
    .join('; ');
}

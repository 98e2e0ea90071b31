import { Group, Loader, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type AccessCheck, isAddress, type NearPermission } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, SEARCH_DELAY } from '../../../kit/api.ts';
import { formatDate } from '../../../kit/format/format.ts';
import { t } from '../../../kit/i18n/index.ts';
import { IconShieldCheck } from '../../../kit/icons.ts';
import { useSearchRecord } from '../../base/navigation.tsx';
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
import { APP_OBSTACLE_TEXTS, GENERAL_TEXTS, OBSTACLE_TEXTS, words } from './words.ts';

/**
 * The subject of the check. A user is checked against an asset; an asset or application is checked
 * against a user.
 */
type About =
  | { readonly user: string }
  | { readonly asset: string }
  | { readonly remote_app: string }
  | { readonly database_app: string };

/** The check endpoint and the permission resource of each kind of application. */
const APPS = {
  remote_app: { url: 'perms/access/remote-apps/check/', rule: 'remote_app_permission' },
  database_app: { url: 'perms/access/database-apps/check/', rule: 'database_app_permission' },
} as const;
const ASSETS = { url: 'perms/access/check/', rule: 'asset_permission' } as const;

/**
 * Shows if a user can reach an asset or application, with the reasons or the obstacles. The nearest
 * permission comes first.
 */
export function AccessCheckCard({ about }: { readonly about: About }) {
  // The search page presets the other side of the check in the address.
  const { check } = useSearchRecord();
  const [at, setAt] = useState('');
  const [address, setAddress] = useState('');
  const [chosen, setChosen] = useState<readonly string[]>(check ? [check] : []);
  const isAboutUser = 'user' in about;
  const { url, rule } =
    'remote_app' in about ? APPS.remote_app : 'database_app' in about ? APPS.database_app : ASSETS;
  const reference = referenceTo(isAboutUser ? 'asset' : 'user');
  const [other] = chosen;
  const [moment] = useDebouncedValue(momentOf(at, address), SEARCH_DELAY);
  const query = useQuery({
    queryKey: ['access-check', about, other, moment],
    queryFn: ({ signal }) =>
      api.get<AccessCheck>(url, {
        query: { ...about, [isAboutUser ? 'asset' : 'user']: other, ...moment },
        signal,
        quiet: true,
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
        {other !== undefined && (
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
          {other !== undefined && query.isPending && <Loader size="xs" />}
          {query.error && <LoadFailed error={query.error} onRetry={() => void query.refetch()} />}
          {other !== undefined && query.data && <Verdict check={query.data} rule={rule} />}
        </div>
      </div>
    </Card>
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

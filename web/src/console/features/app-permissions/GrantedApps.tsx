import { Button, Modal, UnstyledButton } from '@mantine/core';
import {
  databaseApp,
  type LocalText,
  type RequestTarget,
  type Row,
  remoteApp,
} from '@sallyport/contract';
import { type ReactNode, useState } from 'react';
import { AdministratorHint } from '../../../kit/access-request/AdministratorHint.tsx';
import { common, t } from '../../../kit/i18n/index.ts';
import { IconStar, IconStarFilled } from '../../../kit/icons.ts';
import { type FavoriteKind, useFavorites } from '../../base/useFavorites.ts';
import { DetailCard, type Fact } from '../../resource/detail/Cards.tsx';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import type { Column } from '../../resource/list/table/columns.tsx';
import type { RowAction } from '../../resource/list/table/RowActions.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import type { Source } from '../../resource/source.ts';
import { Clipped } from '../Clipped.tsx';
import { SystemUserNames } from '../perms/index.ts';
import { useBreakpoints } from '../useBreakpoints.ts';
import { useOwnClientColumn } from './own-client/useOwnClientColumn.tsx';
import { words } from './words.ts';

/** The stars on the user's own applications. Lists of other users have none. */
function useStars(kind: Exclude<FavoriteKind, 'asset'>, isOwn: boolean) {
  const favorites = useFavorites(kind, isOwn);
  return isOwn
    ? {
        extraActions: (
          { id }: { readonly id: string },
          refresh: () => Promise<void>,
        ): readonly RowAction[] => [
          {
            key: 'favorite',
            label: t(favorites.has(id) ? words.unmark : words.mark),
            icon: favorites.has(id) ? IconStarFilled : IconStar,
            iconOnly: true,
            disabled: !favorites.loaded,
            run: () => void favorites.toggle(id).then(refresh, () => undefined),
          },
        ],
      }
    : {};
}

type RemoteApp = Row<typeof remoteApp>;

type DatabaseApp = Row<typeof databaseApp>;

interface ListProps {
  /** API path of the user or group with the grants. */
  readonly base: string;
  readonly embedded?: boolean;
  readonly empty?: ReactNode;
}

/** API path of the caller's own grants. */
const OWN = 'perms/users';

const source = (
  name: string,
  path: string,
  title: LocalText,
  fields: Source['fields'],
): Source => ({ name, path, title, labelField: 'name', fields });

interface GrantedListProps<A extends RemoteApp | DatabaseApp> extends ListProps {
  readonly kind: 'database-apps' | 'remote-apps';
  readonly list: Source;
  readonly typeColumn: Column<A>;
  /** Columns that only rows of this kind have. */
  readonly columns: readonly Column<A>[];
  readonly facts: readonly Fact<A>[];
  /** Opens an application that is granted to the current user. */
  readonly address?: (row: A) => string;
}

const favoriteSearch = () => ({
  name: 'favorite',
  label: t(words.favorite),
  choices: [
    { value: '1', label: t(common.yes) },
    { value: '0', label: t(common.no) },
  ],
});

const connectColumn = <A extends RemoteApp | DatabaseApp>(
  address: (row: A) => string,
): Column<A> => ({
  name: 'connect',
  label: words.connect,
  width: 110,
  essential: true,
  cell: (row) => (
    <Button
      component="a"
      href={address(row)}
      target="_blank"
      rel="noopener"
      size="compact-sm"
      variant="light"
      aria-label={t(words.connectTo, { name: row.name })}
    >
      {t(words.connect)}
    </Button>
  ),
});

/** Lists the granted applications of one kind. A name opens the facts. */
function GrantedList<A extends RemoteApp | DatabaseApp>({
  base,
  kind,
  list,
  typeColumn,
  columns,
  facts,
  address,
  embedded = false,
  empty,
}: GrantedListProps<A>) {
  const { narrow, phone } = useBreakpoints();
  const [shown, setShown] = useState<A>();
  const isOwn = base === OWN;
  const target = kind === 'database-apps' ? 'database_app' : 'remote_app';
  const stars = useStars(target, isOwn);
  return (
    <>
      <ResourceList<A>
        source={list}
        embedded={embedded}
        searchBy={[
          { name: 'name', label: t(databaseApp.fields.name.label) },
          { name: 'type', label: t(typeColumn.label ?? databaseApp.fields.type.label) },
          { name: 'comment', label: t(databaseApp.fields.comment.label) },
          ...(isOwn ? [favoriteSearch()] : []),
        ]}
        {...stars}
        columns={[
          {
            name: 'name',
            cell: (row) => (
              <UnstyledButton
                c="var(--mantine-color-anchor)"
                fz="inherit"
                onClick={() => setShown(row)}
              >
                {row.name}
              </UnstyledButton>
            ),
          },
          typeColumn,
          ...columns,
          {
            name: 'system_users',
            label: words.systemUsers,
            width: 160,
            // Phones show only the name and *Connect*. The connection page names the account.
            essential: !(phone && isOwn),
            hidden: phone && isOwn,
            cell: (row) => <SystemUserNames url={`${base}/${kind}/${row.id}/system-users/`} />,
          },
          ...(isOwn && address ? [connectColumn(address)] : []),
          {
            name: 'comment',
            hidden: narrow,
            cell: ({ comment }) => comment && <Clipped title={comment} />,
          },
        ]}
        emptyHint={empty}
        {...(isOwn && {
          noMatchHint: (search: string) => (
            <AdministratorHint alone about={{ target, application: search }} />
          ),
        })}
      />
      {shown && (
        <Modal opened onClose={() => setShown(undefined)} title={shown.name} size="lg">
          <DetailCard source={list} object={shown} facts={facts} />
        </Modal>
      )}
    </>
  );
}

const DATABASE_FACTS: readonly Fact<DatabaseApp>[] = [
  'name',
  'type',
  'host',
  { name: 'port', label: databaseApp.fields.port.label, value: ({ port }) => String(port) },
  'database',
  'comment',
];

/** Lists the databases that a user or group is granted. */
export function GrantedDatabases(props: ListProps) {
  const { narrow, phone } = useBreakpoints();
  const ownClient = useOwnClientColumn(props.base === OWN);
  return (
    <GrantedList<DatabaseApp>
      {...props}
      kind="database-apps"
      list={source(
        'granted_database_app',
        `${props.base}/database-apps`,
        words.grantedDatabases,
        databaseApp.fields,
      )}
      typeColumn={{ name: 'type', width: 120, hidden: phone }}
      columns={[
        { name: 'host', mono: true, hidden: narrow },
        { name: 'database', hidden: narrow },
        ...ownClient,
      ]}
      facts={DATABASE_FACTS}
      address={({ id }) => `/luna/?type=database_app&login_to=${id}`}
    />
  );
}

const REMOTE_FACTS: readonly Fact<RemoteApp>[] = [
  'name',
  'type',
  { name: 'asset', label: words.asset, value: ({ asset_info: { hostname } }) => hostname },
  'path',
  'comment',
];

/** Lists the remote apps that a user or group is granted. */
export function GrantedRemoteApps(props: ListProps) {
  const { phone } = useBreakpoints();
  return (
    <GrantedList<RemoteApp>
      {...props}
      kind="remote-apps"
      list={source(
        'granted_remote_app',
        `${props.base}/remote-apps`,
        words.grantedRemoteApps,
        remoteApp.fields,
      )}
      typeColumn={{ name: 'type', label: words.remoteType, width: 160, hidden: phone }}
      columns={[
        {
          name: 'asset_info',
          label: words.asset,
          hidden: phone,
          cell: ({ asset_info: { hostname } }) => hostname,
        },
      ]}
      facts={REMOTE_FACTS}
      address={({ id }) => `/luna/?type=remote_app&login_to=${id}`}
    />
  );
}

/** Shows that nothing is granted, with a link to request access. */
function Empty({ text, target }: { readonly text: string; readonly target: RequestTarget }) {
  return (
    <>
      {text}
      <AdministratorHint about={{ target }} />
    </>
  );
}

/** Lists the databases of the current user. */
export function MyDatabases() {
  return (
    <>
      <PageHeader hint={t(words.myDatabasesHint)} />
      <GrantedDatabases
        base={OWN}
        empty={<Empty text={t(words.noDatabases)} target="database_app" />}
      />
    </>
  );
}

/** Lists the remote apps of the current user. */
export function MyRemoteApps() {
  return (
    <>
      <PageHeader hint={t(words.myRemoteAppsHint)} />
      <GrantedRemoteApps
        base={OWN}
        empty={<Empty text={t(words.noRemoteApps)} target="remote_app" />}
      />
    </>
  );
}

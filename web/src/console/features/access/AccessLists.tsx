import { SegmentedControl } from '@mantine/core';
import { type AssetAccess, asset, type Field, type UserAccess, user } from '@sallyport/contract';
import { type ReactNode, useState } from 'react';
import { t } from '../../../kit/i18n/index.ts';
import { pagesOf } from '../../base/resources.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import type { Column } from '../../resource/list/table/columns.tsx';
import { Moment } from '../../resource/list/table/Moment.tsx';
import { SaveButtons } from '../../resource/transfer/SaveButtons.tsx';
import { HostCell } from '../Clipped.tsx';
import { useBreakpoints } from '../useBreakpoints.ts';
import styles from './Access.module.css';
import { AccessCheckCard } from './AccessCheckCard.tsx';
import { AccessAccounts, AccessReasons } from './AccessReasons.tsx';
import { AccessTree } from './AccessTree.tsx';
import { words } from './words.ts';

const USER = pagesOf('user');
const ASSET = pagesOf('asset');

/**
 * Removes filter, order and search from a field: the server searches the list as a whole and sorts
 * it one way.
 */
const shownOnly = ({ filter, order, search, ...field }: Field): Field => field;

function explained<T extends UserAccess | AssetAccess>(rule?: string): readonly Column<T>[] {
  return [
    {
      name: 'accounts',
      label: words.accounts,
      cell: ({ accounts }) => <AccessAccounts accounts={accounts} />,
    },
    {
      name: 'paths',
      label: words.reasons,
      essential: true,
      cell: ({ paths }) => <AccessReasons paths={paths} {...(rule && { rule })} />,
    },
    {
      name: 'valid_until',
      label: words.until,
      cell: ({ valid_until }) => <Moment date={valid_until} />,
    },
  ];
}

interface ViewsProps {
  /** API path of the list below `perms/access/`. */
  readonly path: string;
  readonly leads: 'users' | 'assets';
  readonly empty: string;
  readonly table: ReactNode;
}

/** Shows a list of accesses as a table or tree, with exports. */
function Views({ path, leads, empty, table }: ViewsProps) {
  const [view, setView] = useState<'table' | 'tree'>('table');
  return (
    <>
      <div className={styles.bar}>
        <SegmentedControl<'table' | 'tree'>
          size="xs"
          aria-label={t(words.viewAs)}
          data={[
            { value: 'table', label: t(words.table) },
            { value: 'tree', label: t(words.tree) },
          ]}
          value={view}
          onChange={setView}
        />
        <SaveButtons path={`perms/access/${path}/`} size="xs" />
      </div>
      {view === 'table' ? table : <AccessTree path={path} leads={leads} empty={empty} />}
    </>
  );
}

/** The subject of a list of users: an asset, a node with its assets, or a system user. */
type Place = 'assets' | 'nodes' | 'system-users';

/**
 * Lists the users who can reach an asset or node or use a system user, with accounts, reasons and
 * end.
 */
export function WhoCanReach({ place, id }: { readonly place: Place; readonly id: string }) {
  return (
    <div className={styles.stack}>
      {place === 'assets' && <AccessCheckCard about={{ asset: id }} />}
      <Views
        path={`${place}/${id}/users`}
        leads="users"
        empty={t(EMPTY[place])}
        table={
          <ResourceList<UserAccess>
            source={{
              name: 'user_access',
              path: `perms/access/${place}/${id}/users`,
              title: user.title,
              labelField: 'name',
              fields: {
                name: shownOnly(user.fields.name),
                username: shownOnly(user.fields.username),
              },
            }}
            embedded
            link={(row) => USER.detail(row.id)}
            columns={[{ name: 'name' }, { name: 'username' }, ...explained<UserAccess>()]}
            emptyHint={t(EMPTY[place])}
          />
        }
      />
    </div>
  );
}

const EMPTY = {
  assets: words.emptyUsers,
  nodes: words.emptyNode,
  'system-users': words.emptyAccount,
} as const;

/** Lists the users who can use an application, with accounts, reasons and end. */
export function WhoCanUseApp({
  kind,
  id,
}: {
  readonly kind: 'remote_app' | 'database_app' | 'cluster';
  readonly id: string;
}) {
  const path = `perms/access/${kind.replace('_', '-')}s/${id}/users`;
  return (
    <div className={styles.stack}>
      <AccessCheckCard about={{ [kind]: id }} />
      <div className={styles.bar}>
        <SaveButtons path={`${path}/`} size="xs" />
      </div>
      <ResourceList<UserAccess>
        source={{
          name: 'user_access',
          path,
          title: user.title,
          labelField: 'name',
          fields: { name: shownOnly(user.fields.name), username: shownOnly(user.fields.username) },
        }}
        embedded
        link={(row) => USER.detail(row.id)}
        columns={[
          { name: 'name' },
          { name: 'username' },
          ...explained<UserAccess>(`${kind}_permission`),
        ]}
        emptyHint={t(words.emptyApp)}
      />
    </div>
  );
}

/**
 * Lists the assets that a user reaches, or that members of a group reach through it, with accounts,
 * reasons and end.
 */
export function WhatCanReach({
  who,
  id,
}: {
  readonly who: 'users' | 'user-groups';
  readonly id: string;
}) {
  const { phone } = useBreakpoints();
  return (
    <div className={styles.stack}>
      {who === 'users' && <AccessCheckCard about={{ user: id }} />}
      <Views
        path={`${who}/${id}/assets`}
        leads="assets"
        empty={t(who === 'users' ? words.emptyAssets : words.emptyGroup)}
        table={
          <ResourceList<AssetAccess>
            source={{
              name: 'asset_access',
              path: `perms/access/${who}/${id}/assets`,
              title: asset.title,
              labelField: 'hostname',
              fields: {
                hostname: shownOnly(asset.fields.hostname),
                ip: shownOnly(asset.fields.ip),
              },
            }}
            embedded
            link={(row) => ASSET.detail(row.id)}
            columns={[
              { name: 'hostname', cell: (row) => <HostCell host={row} withAddress={phone} /> },
              { name: 'ip', mono: true, hidden: phone },
              ...explained<AssetAccess>(),
            ]}
            emptyHint={t(who === 'users' ? words.emptyAssets : words.emptyGroup)}
          />
        }
      />
    </div>
  );
}

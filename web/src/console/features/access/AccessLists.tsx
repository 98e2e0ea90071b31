import { Button } from '@mantine/core';
import { type AssetAccess, asset, type Field, type UserAccess, user } from '@sallyport/contract';
import { addressOf, timeZone } from '../../../kit/api.ts';
import { t } from '../../../kit/i18n/index.ts';
import { IconDownload } from '../../../kit/icons.ts';
import { pagesOf } from '../../base/resources.ts';
import type { Column } from '../../resource/list/columns.tsx';
import { Moment } from '../../resource/list/Moment.tsx';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import styles from './Access.module.css';
import { AccessCheckCard } from './AccessCheckCard.tsx';
import { AccessAccounts, AccessReasons } from './AccessReasons.tsx';
import { words } from './words.ts';

const USER = pagesOf('user');
const ASSET = pagesOf('asset');

/** A field of a list that is searched as a whole, and comes in one order. */
const shownOnly = ({ filter, order, search, ...field }: Field): Field => field;

/** The columns that explain an access. */
function explained<T extends UserAccess | AssetAccess>(): readonly Column<T>[] {
  return [
    { name: 'accounts', label: words.accounts, cell: ({ accounts }) => <AccessAccounts accounts={accounts} /> },
    { name: 'paths', label: words.reasons, essential: true, cell: ({ paths }) => <AccessReasons paths={paths} /> },
    { name: 'valid_until', label: words.until, cell: ({ valid_until }) => <Moment date={valid_until} /> },
  ];
}

/** A button that saves all rows of a list as a file. */
function ExportButton({ path }: { readonly path: string }) {
  return (
    <Button variant="default" leftSection={<IconDownload size={16} />} component="a" href={addressOf(`${path}/`, { format: 'csv', tz: timeZone() })} download>
      {t(words.saveFile)}
    </Button>
  );
}

/** What users reach or use: an asset, something at or below a node, a system user. */
type Place = 'assets' | 'nodes' | 'system-users';

/** Who can reach an asset or node, or use a system user, with which system users, why, and until when. */
export function WhoCanReach({ place, id }: { readonly place: Place; readonly id: string }) {
  return (
    <div className={styles.stack}>
      {place === 'assets' && <AccessCheckCard about={{ asset: id }} />}
      <ResourceList<UserAccess>
        source={{
          name: 'user_access',
          path: `perms/access/${place}/${id}/users`,
          title: place === 'system-users' ? words.whoUsesTitle : words.whoTitle,
          labelField: 'name',
          fields: { name: shownOnly(user.fields.name), username: shownOnly(user.fields.username) },
        }}
        embedded
        toolbar={<ExportButton path={`perms/access/${place}/${id}/users`} />}
        link={(row) => USER.detail(row.id)}
        columns={[{ name: 'name' }, { name: 'username' }, ...explained<UserAccess>()]}
        emptyHint={t(EMPTY[place])}
      />
    </div>
  );
}

const EMPTY = { assets: words.emptyUsers, nodes: words.emptyNode, 'system-users': words.emptyAccount } as const;

/** What a user can reach, or the members of a group because of it, with which system users, why, and until when. */
export function WhatCanReach({ who, id }: { readonly who: 'users' | 'user-groups'; readonly id: string }) {
  return (
    <div className={styles.stack}>
      {who === 'users' && <AccessCheckCard about={{ user: id }} />}
      <ResourceList<AssetAccess>
        source={{
          name: 'asset_access',
          path: `perms/access/${who}/${id}/assets`,
          title: who === 'users' ? words.whatTitle : words.whatGroupTitle,
          labelField: 'hostname',
          fields: { hostname: shownOnly(asset.fields.hostname), ip: shownOnly(asset.fields.ip) },
        }}
        embedded
        toolbar={<ExportButton path={`perms/access/${who}/${id}/assets`} />}
        link={(row) => ASSET.detail(row.id)}
        columns={[{ name: 'hostname' }, { name: 'ip', mono: true }, ...explained<AssetAccess>()]}
        emptyHint={t(who === 'users' ? words.emptyAssets : words.emptyGroup)}
      />
    </div>
  );
}

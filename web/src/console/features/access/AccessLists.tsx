import { type AssetAccess, asset, type Field, type UserAccess, user } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
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

/** Who can reach an asset, with which system users, why, and until when. */
export function WhoCanReach({ assetId }: { readonly assetId: string }) {
  return (
    <div className={styles.stack}>
      <AccessCheckCard about={{ asset: assetId }} />
      <ResourceList<UserAccess>
        source={{
          name: 'user_access',
          path: `perms/access/assets/${assetId}/users`,
          title: words.whoTitle,
          labelField: 'name',
          fields: { name: shownOnly(user.fields.name), username: shownOnly(user.fields.username) },
        }}
        embedded
        link={({ id }) => USER.detail(id)}
        columns={[{ name: 'name' }, { name: 'username' }, ...explained<UserAccess>()]}
        emptyHint={t(words.emptyUsers)}
      />
    </div>
  );
}

/** What a user can reach, with which system users, why, and until when. */
export function WhatCanReach({ userId }: { readonly userId: string }) {
  return (
    <div className={styles.stack}>
      <AccessCheckCard about={{ user: userId }} />
      <ResourceList<AssetAccess>
        source={{
          name: 'asset_access',
          path: `perms/access/users/${userId}/assets`,
          title: words.whatTitle,
          labelField: 'hostname',
          fields: { hostname: shownOnly(asset.fields.hostname), ip: shownOnly(asset.fields.ip) },
        }}
        embedded
        link={({ id }) => ASSET.detail(id)}
        columns={[{ name: 'hostname' }, { name: 'ip', mono: true }, ...explained<AssetAccess>()]}
        emptyHint={t(words.emptyAssets)}
      />
    </div>
  );
}

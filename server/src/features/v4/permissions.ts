import {
  ACTIONS,
  asset,
  assetPermission,
  databaseApp,
  databaseAppPermission,
  type Language,
  node,
  say,
  systemUser,
  user,
  userGroup,
} from '@sallyport/contract';
import type { Context } from '../../http/context.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import { engineSource, type Presentation, type Related, readRelated } from './engine-source.ts';
import type { Filter, LaterRow, Source } from './lists.ts';
import { organizationOf } from './values.ts';

/** Actions of versions 3 and 4 by ours. The others of ours have no counterpart. */
const ACTION_VALUES: Readonly<Record<string, string>> = {
  connect: 'connect',
  upload_file: 'upload',
  download_file: 'download',
  clipboard_copy: 'copy',
  clipboard_paste: 'paste',
};

/** Returns the actions that have a counterpart. */
export const actionsOf = (names: readonly string[], language: Language) =>
  ACTIONS.flatMap(({ value, label }) =>
    names.includes(value) && Object.hasOwn(ACTION_VALUES, value)
      ? [{ value: ACTION_VALUES[value], label: say(label, language) }]
      : [],
  );

/** Returns the username of an account, or the word of versions 3 and 4 for one without. */
export const accountName = (username: unknown, isNamesake: unknown): string =>
  isNamesake === true ? '@USER' : String(username || '@INPUT');

/** Fields that all kinds of permissions share. */
interface Terms {
  readonly id: string;
  readonly name: string;
  readonly is_active: boolean;
  readonly is_expired: boolean;
  readonly is_valid: boolean;
  readonly actions: readonly string[];
  readonly users: readonly string[];
  readonly user_groups: readonly string[];
  readonly system_users: readonly string[];
  readonly users_amount: number;
  readonly user_groups_amount: number;
  readonly created_by: string;
  readonly date_created: string;
  readonly date_start: string;
  readonly date_expired: string;
  readonly comment: string;
  readonly org_id: string;
  readonly org_name: string;
}

const objects = (ids: readonly string[], known: Related | undefined, name: string, more: string) =>
  ids.flatMap((id) => {
    const row = known?.get(id);
    return row ? [{ id, name: row[name], [more]: row[more] }] : [];
  });

function termsOf(row: Terms, { related, language, isDetail }: Presentation): LaterRow {
  const accounts = row.system_users.flatMap((id) => {
    const account = related.accounts?.get(id);
    return account ? [account] : [];
  });
  return {
    id: row.id,
    name: row.name,
    is_active: row.is_active,
    is_expired: row.is_expired,
    is_valid: row.is_valid,
    accounts: [
      ...new Set(accounts.map((one) => accountName(one.username, one.username_same_with_user))),
    ],
    protocols: [...new Set(accounts.map(({ protocol }) => protocol))],
    actions: actionsOf(row.actions, language),
    users_amount: row.users_amount,
    user_groups_amount: row.user_groups_amount,
    labels: [],
    from_ticket: false,
    created_by: row.created_by,
    date_created: row.date_created,
    date_start: row.date_start,
    date_expired: row.date_expired,
    comment: row.comment,
    ...organizationOf(row),
    ...(isDetail && {
      users: objects(row.users, related.users, 'name', 'username'),
      user_groups: objects(row.user_groups, related.groups, 'name', 'comment'),
    }),
  };
}

/** Reads the accounts of permissions, and the users and groups of one of them. */
async function readTerms(
  engines: Engines,
  rows: readonly Pick<Terms, 'system_users' | 'users' | 'user_groups'>[],
  context: Context,
  isDetail: boolean,
) {
  const [accounts, users, groups] = await Promise.all([
    readRelated(
      engineOf(engines, systemUser),
      {
        values: rows.flatMap((row) => row.system_users),
        fields: ['username', 'username_same_with_user', 'protocol'],
      },
      context,
    ),
    readRelated(
      engineOf(engines, user),
      { values: isDetail ? rows.flatMap((row) => row.users) : [], fields: ['name', 'username'] },
      context,
    ),
    readRelated(
      engineOf(engines, userGroup),
      {
        values: isDetail ? rows.flatMap((row) => row.user_groups) : [],
        fields: ['name', 'comment'],
      },
      context,
    ),
  ]);
  return { accounts, users, groups };
}

/** Filters with the same meaning for all kinds of permissions. */
const FILTERS: Readonly<Record<string, Filter>> = {
  name: 'name',
  is_active: 'is_active',
  is_valid: 'is_valid',
  user_id: 'user_id',
  username: 'username',
  user_group_id: 'user_group_id',
  user_group: 'user_group',
};
const ORDERS = { name: 'name', date_start: 'date_start', date_expired: 'date_expired' };

/** Permissions on assets. */
export function assetPermissionSource(engines: Engines): Source {
  return engineSource(engines, assetPermission, {
    filters: {
      ...FILTERS,
      asset_id: 'asset_id',
      asset_name: 'hostname',
      address: 'ip',
      node_id: 'node_id',
      node_name: 'node',
    },
    orders: ORDERS,
    async related(rows, context, isDetail) {
      const ids = (field: 'assets' | 'nodes') =>
        isDetail ? rows.flatMap((row) => row[field]) : [];
      const [terms, assets, nodes] = await Promise.all([
        readTerms(engines, rows, context, isDetail),
        readRelated(
          engineOf(engines, asset),
          { values: ids('assets'), fields: ['hostname', 'ip'] },
          context,
        ),
        readRelated(
          engineOf(engines, node),
          { values: ids('nodes'), fields: ['value', 'full_value'] },
          context,
        ),
      ]);
      return { ...terms, assets, nodes };
    },
    present: (row, presentation) => ({
      ...termsOf(row, presentation),
      assets_amount: row.assets_amount,
      nodes_amount: row.nodes_amount,
      ...(presentation.isDetail && {
        assets: row.assets.flatMap((id) => {
          const one = presentation.related.assets?.get(id);
          return one ? [{ id, name: one.hostname, address: one.ip }] : [];
        }),
        nodes: objects(row.nodes, presentation.related.nodes, 'value', 'full_value'),
      }),
    }),
  });
}

/** Permissions on databases. */
export function databasePermissionSource(engines: Engines): Source {
  return engineSource(engines, databaseAppPermission, {
    filters: { ...FILTERS, asset_id: 'database_app_id' },
    orders: ORDERS,
    async related(rows, context, isDetail) {
      const [terms, assets] = await Promise.all([
        readTerms(engines, rows, context, isDetail),
        readRelated(
          engineOf(engines, databaseApp),
          {
            values: isDetail ? rows.flatMap((row) => row.database_apps) : [],
            fields: ['name', 'host'],
          },
          context,
        ),
      ]);
      return { ...terms, assets };
    },
    present: (row, presentation) => ({
      ...termsOf(row, presentation),
      assets_amount: row.database_apps_amount,
      nodes_amount: 0,
      ...(presentation.isDetail && {
        assets: row.database_apps.flatMap((id) => {
          const one = presentation.related.assets?.get(id);
          return one ? [{ id, name: one.name, address: one.host }] : [];
        }),
        nodes: [],
      }),
    }),
  });
}

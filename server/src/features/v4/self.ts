import { formatDatetime, type GrantedAsset, isUuid, type Page } from '@sallyport/contract';
import type { Context } from '../../http/context.ts';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { notFound } from '../../platform/errors.ts';
import type { SettingsService } from '../../platform/settings/service.ts';
import type { Engines } from '../../resources/engines.ts';
import type { ResourceServices, StoredRow } from '../../resources/hooks.ts';
import { allOf } from '../../resources/read/scope.ts';
import {
  appAccounts,
  DATABASE_APPS,
  type GrantedAccount,
  type GrantService,
  grantedApps,
  isAppGranted,
  listAssets,
  subjectsOf,
} from '../perms/index.ts';
import { readSecretTypes } from './accounts.ts';
import {
  isPlatformOfHost,
  isTrue,
  isTypeOfDatabase,
  isTypeOfHost,
  kindOfDatabase,
  kindOfHost,
} from './assets.ts';
import type { LaterRow, Request, Source } from './lists.ts';
import { accountName, actionsOf } from './permissions.ts';
import { organizationOf, protocolsOf } from './values.ts';

export interface SelfOptions {
  readonly db: Db;
  readonly engines: Engines;
  readonly services: ResourceServices;
  readonly grants: GrantService;
  readonly settings: SettingsService;
}

/** Values of an asset that its users do not see. */
const UNSEEN = { domain: null, zone: null, labels: [], is_active: true, connectivity: null };

function toHost(row: GrantedAsset, { language }: Context): LaterRow {
  return {
    id: row.id,
    name: row.hostname,
    address: row.ip,
    ...kindOfHost(row.platform, language),
    platform: { id: row.platform, name: row.platform },
    protocols: protocolsOf(row.protocols),
    comment: row.comment,
    ...UNSEEN,
    ...organizationOf(row),
  };
}

function toDatabase(row: StoredRow, { language }: Context): LaterRow {
  return {
    id: row.id,
    name: row.name,
    address: row.host,
    ...kindOfDatabase(row.type, language),
    protocols: [{ name: row.type, port: row.port }],
    comment: row.comment,
    ...UNSEEN,
    ...organizationOf({ org_id: String(row.org_id ?? ''), org_name: String(row.org_name ?? '') }),
  };
}

/** Adds the accounts and protocols that the caller may use on an asset. */
async function withAccess(
  asset: LaterRow,
  accounts: readonly GrantedAccount[],
  context: Context,
  db: Db,
): Promise<LaterRow> {
  const secretTypeOf = await readSecretTypes(
    accounts.map(({ id }) => id),
    context,
    db,
  );
  const used = new Set(accounts.map(({ protocol }) => protocol));
  const protocols = asset.protocols as readonly { readonly name: string; readonly port: number }[];
  return {
    ...asset,
    permed_protocols: protocols
      // System users of MariaDB have the protocol of MySQL.
      .filter(({ name }) => used.has(name) || (name === 'mariadb' && used.has('mysql')))
      .map(({ name, port }) => ({ name, port, public: true, setting: {} })),
    permed_accounts: accounts.map((account) => ({
      id: account.id,
      alias: account.id,
      name: account.name,
      username: accountName(account.username, account.username_same_with_user),
      has_username: account.username !== '' || account.username_same_with_user,
      has_secret: account.login_mode !== 'manual',
      secret_type: secretTypeOf(account.id),
      actions: actionsOf(account.actions, context.language),
      date_expired: formatDatetime(account.validUntil, context.zone),
    })),
  };
}

const ORDERS = { name: 'hostname', address: 'ip' } as const;

/** The hosts and databases that are granted to the caller, in all organizations. */
export function selfSources(options: SelfOptions): readonly Source[] {
  const { db, engines, services, grants } = options;
  const own = subjectsOf(engines).find((one) => one.own);
  const databases = grantedApps(engines, services).find(({ kind }) => kind === DATABASE_APPS);
  if (!own || !databases) throw new Error('the grants of callers are not served');

  const databasePage = async ({ query, within }: Request, context: Context) => {
    const granted = isAppGranted(DATABASE_APPS, await own.subject(context));
    const page = (await databases.within(allOf([granted, within])).list(query, context)) ?? [];
    return Array.isArray(page) ? { count: page.length, results: page } : page;
  };
  const hostPage = async (
    { query, within }: Request,
    context: Context,
  ): Promise<Pick<Page<GrantedAsset>, 'count' | 'results'>> => {
    const page = await listAssets({ ...options, ...own }, { ...context, query }, within);
    return Array.isArray(page) ? { count: page.length, results: page } : page;
  };
  const byId = (name: string, id: string): Request => {
    if (!isUuid(id)) throw notFound();
    return {
      query: new URLSearchParams([
        [name, id],
        ['limit', '1'],
      ]),
      within: undefined,
    };
  };
  return [
    {
      filters: {
        id: 'ids',
        search: 'search',
        name: 'name',
        address: 'host',
        type: isTypeOfDatabase,
        platform: isTypeOfDatabase,
        is_active: isTrue,
        category: (value) => value === 'database',
      },
      orders: { name: 'name', address: 'host' },
      async page(request, context) {
        const { count, results } = await databasePage(request, context);
        return { count, results: results.map((row) => toDatabase(row, context)) };
      },
      async retrieve(id, context) {
        const [row] = (await databasePage(byId('ids', id), context)).results;
        if (!row) throw notFound();
        const accounts = await appAccounts(DATABASE_APPS, await own.subject(context), id, db);
        return withAccess(toDatabase(row, context), accounts, context, db);
      },
    },
    {
      filters: {
        id: 'ids',
        search: 'search',
        name: 'hostname',
        address: 'ip',
        node_id: 'node',
        node: 'node',
        all: 'all',
        type: isTypeOfHost(sql`a.platform`),
        platform: isPlatformOfHost(sql`a.platform`),
        is_active: isTrue,
        category: (value) => value === 'host',
      },
      orders: ORDERS,
      async page(request, context) {
        const { count, results } = await hostPage(request, context);
        return { count, results: results.map((row) => toHost(row, context)) };
      },
      async retrieve(id, context) {
        const [row] = (await hostPage(byId('id', id), context)).results;
        if (!row) throw notFound();
        const accounts = await grants.accounts(await own.subject(context), id);
        return withAccess(toHost(row, context), accounts, context, db);
      },
    },
  ];
}

import type { Readable } from 'node:stream';
import { assetUser, Permission } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../http/context.ts';
import { exampleId } from '../../http/openapi/examples.ts';
import { answerList } from '../../http/resources/answer-list.ts';
import { describeResource } from '../../http/resources/metadata.ts';
import { parameter, route } from '../../http/route.ts';
import { pagedListOf, samples } from '../../http/shapes.ts';
import { Rejected } from '../../platform/errors.ts';
import type { Engines } from '../../resources/engines.ts';
import { pickFields, pickFrom } from '../../resources/read/columns.ts';
import type { ListSource } from '../../resources/read/page.ts';
import type { AssetAccounts, ClearSecrets } from '../assets/index.ts';
import type { AssetUserList } from './list.ts';
import {
  assertMaySeeSecrets,
  type OpenAssetUser,
  type SecretServices,
  withSecrets,
} from './secrets.ts';
import type { AssetUserRow } from './wire-rows.ts';

export interface AssetUserRouteOptions extends SecretServices {
  readonly engines: Engines;
  readonly accounts: AssetAccounts;
  readonly list: AssetUserList;
  readonly clearSecrets: ClearSecrets;
}

const URL = `/api/v1/${assetUser.path}/`;
const SECRETS_URL = '/api/v1/assets/asset-user-auth-infos/';
const ROW: AssetUserRow = {
  id: `${exampleId('asset_user')}_${exampleId('asset')}`,
  asset: exampleId('asset'),
  hostname: 'web-prod-01',
  ip: '10.0.0.5',
  username: 'root',
  backend: 'db',
  origin: 'user',
  origin_id: exampleId('asset_user'),
  is_best: true,
  has_secret: true,
  version: 1,
  comment: '',
  created_by: 'Administrator(admin)',
  date_created: '2026-01-31 08:30:00 +0800',
  date_updated: '2026-01-31 08:30:00 +0800',
  date_secret_changed: null,
  date_last_used: null,
  rotation: null,
  connectivity: {
    status: 1,
    datetime: '2026-01-31 08:30:00 +0800',
    signed_in: true,
    runs_commands: false,
    serves_files: true,
  },
  org_id: '',
  org_name: 'DEFAULT',
};
const FAILED = {
  ...ROW,
  connectivity: {
    status: 0,
    datetime: '2026-01-31 08:30:00 +0800',
    reason: '10.0.0.5:22 refused the connection.',
  },
};
const ROTATED: AssetUserRow = {
  ...ROW,
  date_secret_changed: '2026-01-31 08:30:00 +0800',
  date_last_used: '2026-01-31 08:30:00 +0800',
  rotation: { is_success: true, date: '2026-01-31 08:30:00 +0800' },
};
const ACCOUNT = samples<AssetUserRow>(ROW, FAILED, ROTATED);
const SECRET = { password: 'secret', private_key: '', public_key: '' };
const OPEN_ACCOUNT = samples<OpenAssetUser>(
  { ...ROW, ...SECRET },
  { ...FAILED, ...SECRET },
  { ...ROTATED, ...SECRET },
);

/** Restricts the rows of a list to the fields of the query. */
function pickedFields<Row extends object>(source: ListSource<Row>): ListSource<object> {
  const pick = (rows: readonly Row[], query: URLSearchParams) => {
    const names = pickFields(source.resource, query, false).map(([name]) => name);
    return rows.map((row) =>
      Object.fromEntries(names.map((name) => [name, row[name as keyof Row]])),
    );
  };
  return {
    resource: source.resource,
    async list(query, caller) {
      // Rejects unknown fields before reading.
      pick([], query);
      const page = await source.list(query, caller);
      if (page === undefined || Array.isArray(page)) return page && pick(page, query);
      return { count: page.count, results: pick(page.results, query) };
    },
    async *stream(query, caller, forFile) {
      for await (const rows of source.stream(query, caller, forFile))
        yield forFile ? rows : pick(rows, query);
    },
  };
}

const accountIn = ({ list }: AssetUserRouteOptions, context: Context) =>
  list.retrieve(parameter(context, 'id'), context);

/** Deletes a stored version of an account. @throws Rejected for other kinds of accounts */
async function deleteAccount(options: AssetUserRouteOptions, context: Context): Promise<void> {
  const { db, accounts, audit } = options;
  const row = await accountIn(options, context);
  if (row.backend === 'admin_user') throw new Rejected('asset_user_of_admin_user');
  if (row.backend !== 'db') throw new Rejected('asset_user_of_system_user');
  await db.transaction(async (tx) => {
    await accounts.remove(row.origin_id, tx);
    await audit(tx, context, {
      action: 'delete',
      resourceType: assetUser.name,
      resource: `${row.username}@${row.hostname}`,
      resourceId: row.origin_id,
      changes: { version: [row.version, null] },
    });
  });
  context.reply.code(204);
}

/** Stores the secret of an earlier version again. @throws Rejected */
async function restoreAccount(
  options: AssetUserRouteOptions,
  context: Context,
): Promise<{ id: string }> {
  const { db, accounts } = options;
  const row = await accountIn(options, context);
  if (row.backend !== 'db') throw new Rejected('asset_user_not_stored');
  const id = await db.transaction((tx) => accounts.restore(row.origin_id, 'user', context, tx));
  context.reply.code(201);
  return { id: `${id}_${row.asset}` };
}

/** Lists the accounts with their secrets. */
async function listSecrets(
  options: AssetUserRouteOptions,
  context: Context,
): Promise<unknown | Readable> {
  const { list } = options;
  // Import templates contain no secrets.
  if (context.query.get('template') === 'import')
    return answerList(
      {
        resource: list.resource,
        list: (query, caller) => list.list(query, caller),
        async *stream() {},
      },
      context,
    );
  await assertMaySeeSecrets(context, options);
  return answerList(pickedFields(withSecrets(list, options)), context);
}

/** Shows an account with its secret. */
async function showSecret(options: AssetUserRouteOptions, context: Context) {
  const account = await accountIn(options, context);
  await assertMaySeeSecrets(context, options);
  const [row] = await withSecrets(options.list, options).open([account], context);
  return row;
}

/**
 * Mounts the accounts of assets: list, read, delete and restore. The resource itself handles
 * creation.
 */
export function mountAssetUsers(app: FastifyInstance, options: AssetUserRouteOptions): void {
  mountAccounts(app, options);
  mountChanges(app, options);
  mountSecrets(app, options);
}

function mountAccounts(app: FastifyInstance, options: AssetUserRouteOptions): void {
  route(app, {
    method: 'GET',
    url: URL,
    access: Permission.ADMIN,
    area: 'secrets',
    summary:
      'List the accounts on assets without their secrets: stored versions, admin users, and system users of permissions.',
    columns: assetUser.fields,
    answer: pagedListOf(ACCOUNT),
    handler: (context): Promise<unknown> => answerList(pickedFields(options.list), context),
  });
  route(app, {
    method: 'GET',
    url: `${URL}:id/`,
    access: Permission.ADMIN,
    area: 'secrets',
    summary: 'An account on an asset.',
    answer: ACCOUNT,
    handler: async (context) =>
      pickFrom(await accountIn(options, context), assetUser, context.query),
  });
  route(app, {
    method: 'OPTIONS',
    url: URL,
    access: Permission.ADMIN,
    area: 'secrets',
    handler: (context) => describeResource(assetUser, context, false),
  });
  route(app, {
    method: 'OPTIONS',
    url: `${URL}:id/`,
    access: Permission.ADMIN,
    area: 'secrets',
    async handler(context) {
      // Responds with 404 for unknown objects, also when only metadata is requested.
      await accountIn(options, context);
      return describeResource(assetUser, context, true);
    },
  });
}

function mountChanges(app: FastifyInstance, options: AssetUserRouteOptions): void {
  route(app, {
    method: 'DELETE',
    url: URL,
    access: Permission.ADMIN,
    area: 'secrets',
    summary: 'Always refused: accounts on assets are deleted one by one.',
    status: 204,
    handler(): never {
      throw new Rejected('asset_users_one_by_one');
    },
  });
  route(app, {
    method: 'DELETE',
    url: `${URL}:id/`,
    access: Permission.ADMIN,
    area: 'secrets',
    summary:
      'Delete a stored version of an account. The version in use is deleted last; accounts of admin users and permissions are changed there.',
    status: 204,
    handler: (context) => deleteAccount(options, context),
  });
  route(app, {
    method: 'POST',
    url: `${URL}:id/restore/`,
    access: Permission.ADMIN,
    area: 'secrets',
    summary: 'Store the secret of an earlier version again, as the newest one.',
    answer: samples({ id: exampleId('asset_user') }),
    status: 201,
    handler: (context) => restoreAccount(options, context),
  });
}

function mountSecrets(app: FastifyInstance, options: AssetUserRouteOptions): void {
  route(app, {
    method: 'GET',
    url: SECRETS_URL,
    access: Permission.ADMIN,
    area: 'secrets',
    summary:
      'List the accounts on assets with their secrets. Requires a recent second factor if the settings say so. The operate log names each account.',
    columns: assetUser.fields,
    answer: pagedListOf(OPEN_ACCOUNT),
    handler: (context) => listSecrets(options, context),
  });
  route(app, {
    method: 'GET',
    url: `${SECRETS_URL}:id/`,
    access: Permission.ADMIN,
    area: 'secrets',
    summary:
      'Read an account on an asset with its secret. Requires a recent second factor if the settings say so. Written to the operate log.',
    answer: OPEN_ACCOUNT,
    handler: (context) => showSecret(options, context),
  });
}

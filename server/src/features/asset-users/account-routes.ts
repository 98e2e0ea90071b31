import {
  adminUser,
  asset as assetResource,
  assetUser,
  type Fields,
  Permission,
  systemUser,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../http/context.ts';
import { parameter, readBody, route } from '../../http/route.ts';
import { anyObject, rowOf } from '../../http/shapes.ts';
import { engineOf } from '../../resources/engines.ts';
import type { StoredRow } from '../../resources/hooks.ts';
import type { SealedLogin } from '../assets/index.ts';
import type { AssetUserRouteOptions } from './routes.ts';
import { assertMaySeeSecrets, openSecrets, recordViews } from './secrets.ts';

const { password, private_key, public_key } = systemUser.fields;
const SECRETS: Fields = { password, private_key, public_key };
const ADMIN_SECRETS: Fields = {
  password: adminUser.fields.password,
  private_key: adminUser.fields.private_key,
  public_key: adminUser.fields.public_key,
};
const FIELDS = [
  ...[
    'id',
    'name',
    'username',
    'protocol',
    'login_mode',
    'login_mode_display',
    'priority',
    'username_same_with_user',
    'auto_push',
    'sudo',
    'shell',
  ],
  ...['comment', 'sftp_root', 'org_id', 'org_name'],
];
const EXAMPLE = anyObject({
  id: '',
  name: 'deploy',
  username: 'deploy',
  protocol: 'ssh',
  password: 'secret',
  private_key: '',
  public_key: '',
});
const NOTE =
  'for users who have proved a second factor lately where the settings ask for that. It is in the operate log.';

/** Where a secret is stored, and the names of its view. */
interface SecretPlace {
  readonly table: SealedLogin['table'];
  readonly id: string;
  readonly username: string;
  readonly logName: string;
}

const findSystemUser = ({ engines }: AssetUserRouteOptions, context: Context) =>
  engineOf(engines, systemUser).reader.retrieve(parameter(context, 'id'), context);

/** Returns a row with the secret of a place and logs the view. */
async function openRow(
  options: AssetUserRouteOptions,
  context: Context,
  row: StoredRow,
  { table, id, username, logName }: SecretPlace,
) {
  const secret = (await openSecrets(table, [id], options)).get(id);
  const kind = table === 'asset_user' ? assetUser : systemUser;
  await recordViews(options, context, [{ kind, id, name: logName }]);
  return { ...Object.fromEntries(FIELDS.map((name) => [name, row[name]])), ...secret, username };
}

/** Returns a system user with its own secret and logs the view. */
const openOwn = (options: AssetUserRouteOptions, context: Context, row: StoredRow) =>
  openRow(options, context, row, {
    table: 'system_account',
    id: String(row.id),
    username: String(row.username),
    logName: String(row.name),
  });

/** Shows the secret of a system user. */
async function showSecret(options: AssetUserRouteOptions, context: Context) {
  const row = await findSystemUser(options, context);
  await assertMaySeeSecrets(context, options);
  return openOwn(options, context, row);
}

/** Changes the secret of a system user and shows it. */
async function changeSecret(options: AssetUserRouteOptions, context: Context) {
  const row = await findSystemUser(options, context);
  await assertMaySeeSecrets(context, options);
  const { writer } = engineOf(options.engines, systemUser);
  const { query } = context;
  await writer.change(String(row.id), readBody(context, SECRETS), context, { query });
  return openOwn(options, context, row);
}

/** Deletes the secret of a system user. */
async function deleteSecret(options: AssetUserRouteOptions, context: Context): Promise<void> {
  const row = await findSystemUser(options, context);
  await assertMaySeeSecrets(context, options);
  await options.db.transaction((tx) =>
    options.clearSecrets(String(row.id), String(row.name), context, tx),
  );
  context.reply.code(204);
}

/** Shows the secret that a system user has on an asset. */
async function showSecretOnAsset(options: AssetUserRouteOptions, context: Context) {
  const { engines, accounts } = options;
  const row = await findSystemUser(options, context);
  const id = String(row.id);
  const { reader } = engineOf(engines, assetResource);
  const target = await reader.retrieve(parameter(context, 'asset'), context);
  await assertMaySeeSecrets(context, options);
  const requested = (context.query.get('username') ?? '').trim().slice(0, 128);
  const username =
    row.username_same_with_user && requested !== '' ? requested : String(row.username);
  const best = await accounts.best(String(target.id), username, { kind: 'system_user', id });
  if (best?.table !== 'asset_user') return { ...(await openOwn(options, context, row)), username };
  const base = (await openSecrets('system_account', [id], options)).get(id);
  const logName = `${username}@${target.hostname}`;
  const place: SecretPlace = { table: 'asset_user', id: best.id, username, logName };
  const stored = await openRow(options, context, row, place);
  // As for connections, the system user provides whatever is not stored for the asset.
  return {
    ...stored,
    password: stored.password || base?.password || '',
    private_key: stored.private_key || base?.private_key || '',
  };
}

/** Mounts the secrets of system users and admin users: read, change and delete. */
export function mountAccountSecrets(app: FastifyInstance, options: AssetUserRouteOptions): void {
  const url = `/api/v1/${systemUser.path}/:id/auth-info/`;
  route(app, {
    method: 'GET',
    url,
    access: Permission.ADMIN,
    area: 'secrets',
    summary: `The secret of a system user, ${NOTE}`,
    answer: EXAMPLE,
    handler: (context) => showSecret(options, context),
  });
  route(app, {
    method: ['PUT', 'PATCH'],
    url,
    access: Permission.ADMIN,
    area: 'secrets',
    summary: `Change the secret of a system user; answers with it, ${NOTE}`,
    body: SECRETS,
    answer: EXAMPLE,
    handler: (context) => changeSecret(options, context),
  });
  route(app, {
    method: 'DELETE',
    url,
    access: Permission.ADMIN,
    area: 'secrets',
    summary: 'Delete the stored password and key of a system user. Users then enter their own.',
    status: 204,
    handler: (context) => deleteSecret(options, context),
  });
  route(app, {
    method: 'GET',
    url: `/api/v1/${systemUser.path}/:id/assets/:asset/auth-info/`,
    access: Permission.ADMIN,
    area: 'secrets',
    summary: `The secret that a system user has on an asset, ${NOTE}`,
    answer: EXAMPLE,
    handler: (context) => showSecretOnAsset(options, context),
  });
  route(app, {
    method: ['PUT', 'PATCH'],
    url: `/api/v1/${adminUser.path}/:id/auth/`,
    access: Permission.ADMIN,
    area: 'secrets',
    summary: 'Change the secret of an admin user. The answer does not have it.',
    body: ADMIN_SECRETS,
    answer: rowOf(adminUser),
    handler: (context) =>
      engineOf(options.engines, adminUser).writer.change(
        parameter(context, 'id'),
        readBody(context, ADMIN_SECRETS),
        context,
        { query: context.query },
      ),
  });
}

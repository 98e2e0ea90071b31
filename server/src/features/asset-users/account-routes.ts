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

const ADMIN = Permission.ADMIN;
const { password, private_key, public_key } = systemUser.fields;
const SECRETS: Fields = { password, private_key, public_key };
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

/** Mounts the secrets of system users and admin users: read, change and delete. */
export function mountAccountSecrets(app: FastifyInstance, options: AssetUserRouteOptions): void {
  const { engines, accounts, db, clearSecrets } = options;
  const url = `/api/v1/${systemUser.path}/:id/auth-info/`;
  const find = (context: Context) =>
    engineOf(engines, systemUser).reader.retrieve(parameter(context, 'id'), context);
  /** Returns a row with its secrets and logs the view. */
  const openRow = async (
    row: StoredRow,
    sealed: SealedLogin['table'],
    id: string,
    as: { readonly username: string; readonly logName: string },
    context: Context,
  ) => {
    const secret = (await openSecrets(sealed, [id], options)).get(id);
    await recordViews(options, context, [
      { kind: sealed === 'asset_user' ? assetUser : systemUser, id, name: as.logName },
    ]);
    return {
      ...Object.fromEntries(FIELDS.map((name) => [name, row[name]])),
      ...secret,
      username: as.username,
    };
  };
  const own = (row: StoredRow, context: Context) =>
    openRow(
      row,
      'system_account',
      String(row.id),
      { username: String(row.username), logName: String(row.name) },
      context,
    );

  route(app, {
    method: 'GET',
    url,
    access: ADMIN,
    summary: `The secret of a system user, ${NOTE}`,
    answer: EXAMPLE,
    async handler(context) {
      const row = await find(context);
      await assertMaySeeSecrets(context, options);
      return own(row, context);
    },
  });
  route(app, {
    method: ['PUT', 'PATCH'],
    url,
    access: ADMIN,
    summary: `Change the secret of a system user; answers with it, ${NOTE}`,
    body: SECRETS,
    answer: EXAMPLE,
    async handler(context) {
      const row = await find(context);
      await assertMaySeeSecrets(context, options);
      await engineOf(engines, systemUser).writer.update(
        String(row.id),
        readBody(context),
        'change',
        context,
        { query: context.query },
      );
      return own(row, context);
    },
  });
  route(app, {
    method: 'DELETE',
    url,
    access: ADMIN,
    summary: 'Take the password and the key of a system user away; users are asked for them then.',
    status: 204,
    async handler(context): Promise<void> {
      const row = await find(context);
      await assertMaySeeSecrets(context, options);
      await db
        .transaction()
        .execute((tx) => clearSecrets(String(row.id), String(row.name), context, tx));
      context.reply.code(204);
    },
  });
  route(app, {
    method: 'GET',
    url: `/api/v1/${systemUser.path}/:id/assets/:asset/auth-info/`,
    access: ADMIN,
    summary: `The secret that a system user has on an asset, ${NOTE}`,
    answer: EXAMPLE,
    async handler(context) {
      const row = await find(context);
      const target = await engineOf(engines, assetResource).reader.retrieve(
        parameter(context, 'asset'),
        context,
      );
      await assertMaySeeSecrets(context, options);
      const requested = (context.query.get('username') ?? '').trim().slice(0, 128);
      const username =
        row.username_same_with_user && requested !== '' ? requested : String(row.username);
      const best = await accounts.best(String(target.id), username, {
        kind: 'system_user',
        id: String(row.id),
      });
      if (best?.table !== 'asset_user') return { ...(await own(row, context)), username };
      const base = (await openSecrets('system_account', [String(row.id)], options)).get(
        String(row.id),
      );
      const stored = await openRow(
        row,
        'asset_user',
        best.id,
        { username, logName: `${username}@${target.hostname}` },
        context,
      );
      // As for connections, the system user provides whatever is not stored for the asset.
      return {
        ...stored,
        password: stored.password || base?.password || '',
        private_key: stored.private_key || base?.private_key || '',
      };
    },
  });
  route(app, {
    method: ['PUT', 'PATCH'],
    url: `/api/v1/${adminUser.path}/:id/auth/`,
    access: ADMIN,
    summary: 'Change the secret of an admin user. The answer does not have it.',
    body: {
      password: adminUser.fields.password,
      private_key: adminUser.fields.private_key,
      public_key: adminUser.fields.public_key,
    },
    answer: rowOf(adminUser),
    handler: (context) =>
      engineOf(engines, adminUser).writer.update(
        parameter(context, 'id'),
        readBody(context),
        'change',
        context,
        { query: context.query },
      ),
  });
}

import {
  type DatabaseListeners as Answer,
  type DatabasePassword,
  formatDatetime,
  LISTENED_DATABASES,
  Permission,
  reference,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../../config.ts';
import { readBody, route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import type { Db } from '../../platform/db/database.ts';
import { transact } from '../../platform/db/retry.ts';
import { Forbidden, Rejected } from '../../platform/errors.ts';
import type { AuditWriter } from '../../resources/hooks.ts';
import type { GatewayPorts } from '../ports.ts';
import type { DatabaseListeners } from './database-listeners.ts';
import { makeDatabasePassword } from './database-passwords.ts';
import { answered } from './file-answers.ts';

const URL_BASE = '/api/v1/terminal/databases/';
const WISH = {
  database_app: reference({ label: { en: 'Database app', zh: '数据库应用' }, to: 'database_app' }),
  system_user: reference({ label: { en: 'System user', zh: '系统用户' }, to: 'system_user' }),
};
const MADE: DatabasePassword = {
  protocol: 'postgresql',
  host: 'bastion.example.com',
  port: 5433,
  username: 'alice@reports@sales',
  password: 'vKq7w2nXcE9hTzRb4LmYpA3dGs',
  database: 'sales',
  date_expired: '2026-01-31 09:10:00 +0800',
  tls: true,
  certificate: '-----BEGIN CERTIFICATE-----\n…\n-----END CERTIFICATE-----\n',
  fingerprint: 'AB:CD:EF:…',
};

/** What the routes work with. */
export interface DatabaseRouteOptions {
  readonly db: Db;
  readonly config: Config;
  readonly ports: GatewayPorts;
  readonly audit: AuditWriter;
  readonly listeners: () => DatabaseListeners | undefined;
}

/** Where people's own clients of databases connect, and the short-lived passwords with which they sign in. */
export function mountDatabaseRoutes(
  app: FastifyInstance,
  { db, config, ports, audit, listeners }: DatabaseRouteOptions,
): void {
  route(app, {
    method: 'GET',
    url: URL_BASE,
    access: Permission.USE,
    summary:
      'The ports on which clients of databases connect; 0 where the listener is switched off.',
    answer: samples<Answer>({ mysql: 0, postgresql: 5433 }),
    handler: (): Answer => ({
      mysql: listeners()?.port('mysql') ?? 0,
      postgresql: listeners()?.port('postgresql') ?? 0,
    }),
  });

  route(app, {
    method: 'POST',
    url: `${URL_BASE}passwords/`,
    access: Permission.USE,
    summary:
      'A password with which a client signs in to one database with one system user, for some minutes. It is in this answer only, and the one before it opens nothing any more.',
    body: WISH,
    status: 201,
    answer: samples<DatabasePassword>(MADE),
    async handler(context): Promise<DatabasePassword> {
      const wish = readBody(context, WISH);
      const { actor, language, zone } = context;
      const grant = await answered(() =>
        ports.access.check(
          actor.userId,
          String(wish.database_app),
          String(wish.system_user),
          'database_app',
        ),
      );
      const protocol = LISTENED_DATABASES.find((name) => name === grant.systemUser.protocol);
      const open = listeners();
      const port = protocol === undefined ? 0 : (open?.port(protocol) ?? 0);
      if (protocol === undefined || open === undefined || port === 0)
        throw new Rejected('database_listener_off');
      if (grant.systemUser.loginMode === 'manual') throw new Rejected('database_manual');
      if (
        grant.factorMinutes !== undefined &&
        !(await ports.factors?.isRecent(actor.session.id, grant.factorMinutes))
      )
        throw new Forbidden('mfa_verify_required');
      const { asset, systemUser, database } = grant;
      const made = await transact(db, async (tx) => {
        await audit(
          tx,
          {
            ...context,
            actor: { ...actor, organization: { ...actor.organization, id: asset.orgId } },
          },
          {
            action: 'update',
            resource: asset.hostname,
            resourceType: 'database_app',
            resourceId: asset.id,
            changes: { client_password: [null, systemUser.name] },
          },
        );
        const wanted = { id: asset.id, name: asset.hostname, organizationId: asset.orgId };
        const { userId, username, session } = actor;
        return makeDatabasePassword(
          {
            userId,
            username,
            loginId: session.id,
            language,
            database: wanted,
            systemUser,
            protocol,
          },
          tx,
        );
      });
      context.reply.code(201);
      return {
        protocol,
        host: config.publicUrl ? new URL(config.publicUrl).hostname : '',
        port,
        username: made.login,
        password: made.password,
        database: database?.name ?? '',
        date_expired: formatDatetime(made.dateExpired, zone),
        tls: !open.allowsPlain,
        certificate: open.certificate.certificate,
        fingerprint: open.certificate.fingerprint,
      };
    },
  });
}

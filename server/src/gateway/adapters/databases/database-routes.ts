import {
  type DatabaseListeners as Answer,
  type DatabasePassword,
  databaseApp,
  formatDatetime,
  isOperand,
  LISTENED_DATABASES,
  Permission,
  reference,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../../../config.ts';
import type { Context } from '../../../http/context.ts';
import { readBody, route } from '../../../http/route.ts';
import { samples } from '../../../http/shapes.ts';
import { type Db, transact } from '../../../platform/db/database.ts';
import { Forbidden, Rejected } from '../../../platform/errors.ts';
import type { AuditWriter } from '../../../resources/hooks.ts';
import type { Arriving } from '../../ports/people.ts';
import type { GatewayPorts } from '../../ports.ts';
import { answered } from '../files/file-answers.ts';
import type { DatabaseListeners } from './database-listeners.ts';
import { makeDatabasePassword } from './database-passwords.ts';

const URL_BASE = '/api/v1/terminal/databases/';
const PASSWORD_BODY = {
  database_app: reference({ label: { en: 'Database app', zh: '数据库应用' }, to: 'database_app' }),
  system_user: reference({ label: { en: 'System user', zh: '系统用户' }, to: 'system_user' }),
};
const PASSWORD_SAMPLE: DatabasePassword = {
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

/** Describes the user as a database client, because the password is for one. */
const arriving = ({ actor }: Context): Arriving => ({
  userId: actor.userId,
  loginId: actor.session.id,
  remoteAddr: actor.remoteAddress,
  loginFrom: 'DT',
});

export interface DatabaseRouteOptions {
  readonly db: Db;
  readonly config: Config;
  readonly ports: GatewayPorts;
  readonly audit: AuditWriter;
  readonly listeners: () => DatabaseListeners | undefined;
}

/** Routes for clients of databases: listener ports, and short-lived passwords. */
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
      'Create a password for some minutes, with which a client signs in to one database with one system user. It is returned once and replaces the previous one.',
    body: PASSWORD_BODY,
    status: 201,
    answer: samples<DatabasePassword>(PASSWORD_SAMPLE),
    async handler(context): Promise<DatabasePassword> {
      const body = readBody(context, PASSWORD_BODY);
      const { actor, language, zone } = context;
      const grant = await answered(() =>
        ports.access.check(arriving(context), body.database_app, body.system_user, 'database_app'),
      );
      const protocol = LISTENED_DATABASES.find((name) => name === grant.systemUser.protocol);
      const open = listeners();
      const port = protocol === undefined ? 0 : (open?.port(protocol) ?? 0);
      if (protocol === undefined || open === undefined || port === 0)
        throw new Rejected('database_listener_off');
      // Earlier versions accepted such names, which clients read as options.
      if (!isOperand(grant.database?.name ?? ''))
        throw new Rejected('database_unsafe_value', { field: databaseApp.fields.database.label });
      if (grant.systemUser.loginMode === 'manual') throw new Rejected('database_manual');
      if (
        grant.factorMinutes !== undefined &&
        !(await ports.factors?.isRecent(actor.session.id, grant.factorMinutes))
      )
        throw new Forbidden('mfa_verify_required');
      const { asset, systemUser, database } = grant;
      const created = await transact(db, async (tx) => {
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
        const target = { id: asset.id, name: asset.hostname, organizationId: asset.orgId };
        const { userId, username, session } = actor;
        return makeDatabasePassword(
          {
            userId,
            username,
            loginId: session.id,
            language,
            database: target,
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
        username: created.login,
        password: created.password,
        database: database?.name ?? '',
        date_expired: formatDatetime(created.dateExpired, zone),
        tls: !open.allowsPlain,
        certificate: open.certificate.certificate,
        fingerprint: open.certificate.fingerprint,
      };
    },
  });
}

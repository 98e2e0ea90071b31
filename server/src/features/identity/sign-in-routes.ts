import { formatDatetime, isUuid, loginLog, type OwnLoginLog, type Page, Permission, type SignInRow } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import type { Context } from '../../http/context.ts';
import { neighbours } from '../../http/page.ts';
import { invalid, notFound } from '../../http/problem.ts';
import type { AuditWriter } from '../../http/resource/hooks.ts';
import type { Engines } from '../../http/resource/mount.ts';
import { parameter, route } from '../../http/route.ts';
import type { Db } from '../../platform/db/database.ts';
import { loginLogHooks } from '../audits/login-log.ts';
import { deviceOf } from './device.ts';
import { accountEntry, type ManagedAccount, managedAccount } from './managed-account.ts';
import { endOtherSignIns, endSignInOf } from './sign-ins.ts';
import { LOGIN_LOGS, SIGN_INS } from './wire-shapes.ts';

export interface SignInRouteOptions {
  readonly db: Db;
  readonly engines: Engines;
  readonly audit: AuditWriter;
  readonly signedOut: (userId: string, sessionId: string) => void;
}

interface SessionRow {
  id: string;
  kind: 'browser' | 'bearer';
  remote_addr: string;
  user_agent: string;
  date_created: Date;
  date_used: Date;
  date_expired: Date;
}

/** Where somebody is signed in, and ending it from afar: for oneself and for administrators. */
export function mountSignIns(app: FastifyInstance, options: SignInRouteOptions): void {
  const { db, engines, audit } = options;

  const list = async (userId: string, { actor, zone, language }: Context): Promise<SignInRow[]> => {
    const { rows } = await sql<SessionRow>`
      select id, kind, remote_addr, user_agent, date_created, date_used, date_expired from web_session
      where user_id = ${userId} and date_expired > now() order by date_used desc, id limit 1000`.execute(db);
    return rows.map((row) => ({
      ...row,
      device: deviceOf(row.user_agent, language),
      date_created: formatDatetime(row.date_created, zone),
      date_used: formatDatetime(row.date_used, zone),
      date_expired: formatDatetime(row.date_expired, zone),
      current: row.id === actor.session.id,
    }));
  };

  const ways = [
    {
      base: '/api/v1/users/profile/sign-ins/',
      access: Permission.USE,
      whose: 'the own account',
      // oneself, whoever one is
      account: async ({ actor }: Context): Promise<ManagedAccount> => ({ id: actor.userId, username: actor.username, name: actor.name, source: '' }),
    },
    {
      base: '/api/v1/users/users/:id/sign-ins/',
      access: Permission.ADMIN,
      whose: 'an account',
      account: (context: Context) => managedAccount(context, engines),
    },
  ];
  for (const { base, access, whose, account } of ways) {
    route(app, {
      method: 'GET',
      url: base,
      access,
      summary: `Where ${whose} is signed in.`,
      answer: SIGN_INS,
      handler: async (context) => list((await account(context)).id, context),
    });

    route(app, {
      method: 'DELETE',
      url: `${base}:signIn/`,
      access,
      summary: `End a sign-in of ${whose}.`,
      status: 204,
      async handler(context) {
        const owner = await account(context);
        const id = parameter(context, 'signIn').toLowerCase();
        if (!isUuid(id)) throw notFound();
        await db.transaction().execute(async (tx) => {
          if (!(await endSignInOf(tx, owner.id, id))) throw notFound();
          await audit(tx, context, accountEntry(owner, { sign_ins: [1, 0] }));
        });
        options.signedOut(owner.id, id);
        context.reply.code(204);
      },
    });

    route(app, {
      method: 'DELETE',
      url: base,
      access,
      summary: `End every sign-in of ${whose} but this one.`,
      status: 204,
      async handler(context) {
        const owner = await account(context);
        await db.transaction().execute(async (tx) => {
          const ended = await endOtherSignIns(tx, owner.id, context.actor.session.id);
          if (ended.length > 0) await audit(tx, context, accountEntry(owner, { sign_ins: [ended.length, 0] }));
        });
        context.reply.code(204);
      },
    });
  }

  const number = ({ query }: Context, name: string, fallback: number, max: number): number => {
    const text = query.get(name);
    if (text === null || text === '') return fallback;
    if (!/^\d{1,9}$/.test(text)) throw invalid(name, 'not_integer');
    return Math.min(Number(text), max);
  };

  route(app, {
    method: 'GET',
    url: '/api/v1/users/profile/login-logs/',
    access: Permission.USE,
    summary: 'The own attempts to sign in.',
    answer: LOGIN_LOGS,
    async handler(context): Promise<Page<OwnLoginLog>> {
      const limit = Math.max(1, number(context, 'limit', 15, 100));
      const offset = number(context, 'offset', 0, 1_000_000);
      const { rows } = await sql<Record<string, unknown> & { total: number; datetime: Date }>`
        select id, type, ip, city, user_agent, mfa, reason, status, datetime from login_log
        where user_id = ${context.actor.userId} order by datetime desc, id limit ${limit} offset ${offset}`.execute(db);
      const { rows: counted } = await sql<{ count: number }>`select count(*) as count from login_log where user_id = ${context.actor.userId}`.execute(db);
      await loginLogHooks.present?.(rows, context, db);
      const words = (field: 'type' | 'mfa', value: unknown) =>
        loginLog.fields[field].choices?.find((choice) => choice.value === value)?.label[context.language] ?? '';
      const results = rows.map((row) => ({
        ...row,
        type_display: words('type', row.type),
        mfa_display: words('mfa', row.mfa),
        datetime: formatDatetime(row.datetime, context.zone),
      }));
      const count = counted[0]?.count ?? 0;
      return { count, ...neighbours(context, limit, offset, count), results: results as never };
    },
  });
}

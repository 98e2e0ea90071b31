import { formatDatetime, isUuid, loginLog, Permission, type SignInRow } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../../http/context.ts';
import { withNeighbors } from '../../../http/page.ts';
import { parameter, route } from '../../../http/route.ts';
import { DEFAULT_ORGANIZATION } from '../../../platform/actor.ts';
import type { Db } from '../../../platform/db/database.ts';
import { transact } from '../../../platform/db/retry.ts';
import { invalid, notFound } from '../../../platform/errors.ts';
import { type Engines, engineOf } from '../../../resources/engines.ts';
import type { AuditWriter } from '../../../resources/hooks.ts';
import { accountEntry, type ManagedAccount, managedAccount } from '../accounts/managed-account.ts';
import { LOGIN_LOGS, SIGN_INS } from '../wire-shapes.ts';
import { deviceOf } from './device.ts';
import {
  attemptsOf,
  endAllAccess,
  endedKeys,
  endOtherSignIns,
  endSignInOf,
  signInsOf,
} from './store.ts';

export interface SignInRouteOptions {
  readonly db: Db;
  readonly engines: Engines;
  readonly audit: AuditWriter;
  readonly signedOut: (userId: string, sessionId: string) => void;
}

/** Routes that list and end sign-in sessions, for the user and for administrators. */
export function mountSignIns(app: FastifyInstance, options: SignInRouteOptions): void {
  const { db, audit, engines } = options;

  const list = async (userId: string, { actor, zone, language }: Context): Promise<SignInRow[]> => {
    return (await signInsOf(userId, db)).map((row) => ({
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
      isOwn: true,
      account: async ({ actor }: Context): Promise<ManagedAccount> => ({
        id: actor.userId,
        username: actor.username,
        name: actor.name,
        source: '',
      }),
    },
    {
      base: '/api/v1/users/users/:id/sign-ins/',
      access: Permission.ADMIN,
      whose: 'an account',
      isOwn: false,
      account: (context: Context) => managedAccount(context, 'sign_ins', options),
    },
  ];
  for (const { base, access, whose, account, isOwn } of ways) {
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
        await transact(db, async (tx) => {
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
        await transact(db, async (tx) => {
          // Users keep their access keys: these have a separate list, and scripts depend on them.
          // An administrator ends all access.
          const ended = isOwn
            ? {
                signIns: (await endOtherSignIns(tx, owner.id, context.actor.session.id)).length,
                keys: 0,
              }
            : await endAllAccess(tx, owner.id, context.actor.session.id);
          const changes = {
            ...(ended.signIns > 0 && { sign_ins: [ended.signIns, 0] as const }),
            ...endedKeys(ended),
          };
          if (Object.keys(changes).length > 0)
            await audit(tx, context, accountEntry(owner, changes));
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
    async handler(context): Promise<unknown> {
      const limit = Math.max(1, number(context, 'limit', 15, 100));
      const query = new URLSearchParams({
        limit: String(limit),
        offset: String(number(context, 'offset', 0, 1_000_000)),
        order: '-datetime',
        'fields!': 'username',
      });
      // Attempts belong to no organization; the filter on the user is the only limit.
      const caller = {
        ...context,
        actor: { ...context.actor, organization: DEFAULT_ORGANIZATION },
      };
      const answer = await engineOf(engines, loginLog).reader.list(
        query,
        caller,
        attemptsOf(context.actor.userId),
      );
      return answer && withNeighbors({ ...context, query }, answer);
    },
  });
}

import {
  type Area,
  deviceOf,
  formatDatetime,
  isUuid,
  loginLog,
  Permission,
  type SignInRow,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../../http/context.ts';
import { withNeighbors } from '../../../http/page.ts';
import { parameter, route } from '../../../http/route.ts';
import { DEFAULT_ORGANIZATION } from '../../../platform/actor.ts';
import { type Db, transact } from '../../../platform/db/database.ts';
import { invalid, notFound } from '../../../platform/errors.ts';
import { type Engines, engineOf } from '../../../resources/engines.ts';
import type { AuditWriter } from '../../../resources/hooks.ts';
import { accountEntry, managedAccount, type NamedAccount } from '../accounts/managed-account.ts';
import { LOGIN_LOGS, SIGN_INS } from '../wire-shapes.ts';
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

/** The sign-ins of one kind of account. */
interface Owner {
  readonly base: string;
  readonly access: number;
  readonly area: Area;
  readonly whose: string;
  readonly isOwn: boolean;
  readonly account: (
    options: SignInRouteOptions,
    context: Context,
  ) => NamedAccount | Promise<NamedAccount>;
}

const OWNERS: readonly Owner[] = [
  {
    base: '/api/v1/users/profile/sign-ins/',
    access: Permission.USE,
    area: 'own',
    whose: 'the own account',
    isOwn: true,
    account: (_options, { actor: { userId: id, username, name } }) => ({
      id,
      username,
      name,
    }),
  },
  {
    base: '/api/v1/users/users/:id/sign-ins/',
    access: Permission.ADMIN,
    area: 'users',
    whose: 'an account',
    isOwn: false,
    account: (options, context) => managedAccount(context, 'sign_ins', options),
  },
];

/** Lists the sign-ins of an account. */
async function listSignIns(
  options: SignInRouteOptions,
  context: Context,
  { account }: Owner,
): Promise<SignInRow[]> {
  const { actor, zone, language } = context;
  const { id } = await account(options, context);
  return (await signInsOf(id, options.db)).map((row) => ({
    ...row,
    device: deviceOf(row.user_agent, language),
    date_created: formatDatetime(row.date_created, zone),
    date_used: formatDatetime(row.date_used, zone),
    date_expired: formatDatetime(row.date_expired, zone),
    current: row.id === actor.session.id,
  }));
}

/** Ends one sign-in of an account. @throws NotFound */
async function endSignIn(options: SignInRouteOptions, context: Context, { account }: Owner) {
  const owner = await account(options, context);
  const id = parameter(context, 'signIn').toLowerCase();
  if (!isUuid(id)) throw notFound();
  await transact(options.db, async (tx) => {
    if (!(await endSignInOf(tx, owner.id, id))) throw notFound();
    await options.audit(tx, context, accountEntry(owner, { sign_ins: [1, 0] }));
  });
  options.signedOut(owner.id, id);
  context.reply.code(204);
}

/** Ends every sign-in of an account but the current one. */
async function endOthers(options: SignInRouteOptions, context: Context, { account, isOwn }: Owner) {
  const owner = await account(options, context);
  const current = context.actor.session.id;
  await transact(options.db, async (tx) => {
    // Users keep their access keys: these have a separate list, and scripts depend on them.
    // An administrator ends all access.
    const ended = isOwn
      ? { signIns: (await endOtherSignIns(tx, owner.id, current)).length, keys: 0 }
      : await endAllAccess(tx, owner.id, current);
    const changes = {
      ...(ended.signIns > 0 && { sign_ins: [ended.signIns, 0] as const }),
      ...endedKeys(ended),
    };
    if (Object.keys(changes).length > 0)
      await options.audit(tx, context, accountEntry(owner, changes));
  });
  context.reply.code(204);
}

/** Reads a number from the query. @throws Invalid */
function numberIn(
  { query }: Context,
  name: string,
  { fallback, max }: { readonly fallback: number; readonly max: number },
): number {
  const text = query.get(name);
  if (text === null || text === '') return fallback;
  if (!/^\d{1,9}$/.test(text)) throw invalid(name, 'not_integer');
  return Math.min(Number(text), max);
}

/** Lists the attempts of the caller to sign in. */
async function listAttempts({ engines }: SignInRouteOptions, context: Context): Promise<unknown> {
  const limit = Math.max(1, numberIn(context, 'limit', { fallback: 15, max: 100 }));
  const offset = numberIn(context, 'offset', { fallback: 0, max: 1_000_000 });
  const query = new URLSearchParams({
    limit: String(limit),
    offset: String(offset),
    order: '-datetime',
    'fields!': 'username',
  });
  // Attempts belong to no organization; the filter on the user is the only limit.
  const { actor } = context;
  const caller = { ...context, actor: { ...actor, organization: DEFAULT_ORGANIZATION } };
  const { reader } = engineOf(engines, loginLog);
  const answer = await reader.list(query, caller, attemptsOf(actor.userId));
  return answer && withNeighbors({ ...context, query }, answer);
}

/** Routes that list and end sign-in sessions, for the user and for administrators. */
export function mountSignIns(app: FastifyInstance, options: SignInRouteOptions): void {
  for (const owner of OWNERS) mountOwner(app, options, owner);
  route(app, {
    method: 'GET',
    url: '/api/v1/users/profile/login-logs/',
    access: Permission.USE,
    area: 'own',
    summary: 'List your sign-in attempts.',
    answer: LOGIN_LOGS,
    handler: (context) => listAttempts(options, context),
  });
}

function mountOwner(app: FastifyInstance, options: SignInRouteOptions, owner: Owner): void {
  const { base, access, area, whose } = owner;
  route(app, {
    method: 'GET',
    url: base,
    access,
    area,
    summary: `List the sign-ins of ${whose}.`,
    answer: SIGN_INS,
    handler: (context) => listSignIns(options, context, owner),
  });
  route(app, {
    method: 'DELETE',
    url: `${base}:signIn/`,
    access,
    area,
    summary: `End a sign-in of ${whose}.`,
    status: 204,
    handler: (context) => endSignIn(options, context, owner),
  });
  route(app, {
    method: 'DELETE',
    url: base,
    access,
    area,
    summary: `End every sign-in of ${whose} but this one.`,
    status: 204,
    handler: (context) => endOthers(options, context, owner),
  });
}

import { cluster, reference, systemUser } from '@sallyport/contract';
import type { Context } from '../../http/context.ts';
import { readBody } from '../../http/route.ts';
import type { Db } from '../../platform/db/database.ts';
import { AppError, Forbidden, Rejected } from '../../platform/errors.ts';
import type { Engines } from '../../resources/engines.ts';
import type { AuditWriter } from '../../resources/hooks.ts';
import { type ClusterGateway, type ConnectionPorts, problemOf } from '../connections/index.ts';
import { appAccounts, CLUSTERS } from '../perms/index.ts';
import type { TokenClient } from './tokens.ts';

export interface ClusterRouteOptions {
  readonly db: Db;
  readonly engines: Engines;
  readonly audit: AuditWriter;
  readonly ports: Pick<ConnectionPorts, 'access' | 'factors'>;
  readonly gateway: () => ClusterGateway;
  readonly publicUrl: string | undefined;
  readonly minutes: () => number;
}

export const ACCOUNT = { label: systemUser.title, to: 'system_user' };
/** A cluster, and an account; absent: the first granted one. */
export const TARGET_BODY = {
  cluster: reference({ label: cluster.title, to: 'cluster' }),
  system_user: reference({ ...ACCOUNT, required: false, nullable: true }),
};

/** Runs work of the gateway, and gives its refusals to the caller. */
export async function answered<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError) throw error;
    const { code, params } = problemOf(error);
    if (code === 'internal') throw error;
    throw /^(connect_(denied|expired|condition)|cluster_(verb|action|kind|user))/.test(code)
      ? new Forbidden(code, params)
      : new Rejected(code, params);
  }
}

/** Returns the account that a user asks for, or the first granted one. @throws Forbidden */
async function accountFor(
  { db }: ClusterRouteOptions,
  { actor: { userId } }: Context,
  { cluster: id, system_user: asked }: { cluster: string; system_user?: string | null },
): Promise<string> {
  if (asked) return asked;
  const [first] = await appAccounts(CLUSTERS, { userId, organizationId: undefined }, id, db);
  if (!first) throw new Forbidden('connect_denied');
  return first.id;
}

/**
 * Returns the grant for the cluster and account of a request, after the checks of a session.
 * @throws Forbidden
 */
export async function targetFor(
  options: ClusterRouteOptions,
  context: Context,
  loginFrom: TokenClient,
) {
  const { ports } = options;
  const body = readBody(context, TARGET_BODY);
  const systemUserId = await accountFor(options, context, body);
  const { session, userId, remoteAddress } = context.actor;
  const arriving = { userId, loginId: session.id, remoteAddr: remoteAddress, loginFrom } as const;
  const grant = await answered(() =>
    ports.access.check(arriving, body.cluster, systemUserId, 'cluster'),
  );
  if (
    grant.factorMinutes !== undefined &&
    !(await ports.factors?.isRecent(session.id, grant.factorMinutes))
  )
    throw new Forbidden('mfa_verify_required');
  return grant;
}

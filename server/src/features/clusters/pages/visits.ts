import { type ClusterVisit, formatDatetime } from '@sallyport/contract';
import type { Context } from '../../../http/context.ts';
import { type Db, transact } from '../../../platform/db/database.ts';
import { NotFound } from '../../../platform/errors.ts';
import { problemOf, Refusal } from '../../connections/index.ts';
import type { LiveSessions } from '../live-sessions.ts';
import { createToken, findVisit, type LiveToken, latestVisit } from '../tokens.ts';
import type { LiveVisit } from './live-visit.ts';
import { refusalOf } from './read-cluster.ts';

/** Minutes for which a page stays connected, if its sign-in lasts as long. */
const MINUTES = 720;

/** The namespaces of a cluster. */
export const NAMESPACES_PLACE = { group: '', namespace: '', resource: 'namespaces' } as const;

interface Options {
  readonly db: Db;
  readonly sessions: LiveSessions;
}

/**
 * Returns the session of a visit, checked for an address. A session that ended permanently has no
 * further one until the user connects again. @throws NotFound, Refusal
 */
async function sessionOf(
  { sessions }: Pick<Options, 'sessions'>,
  token: LiveToken,
  remoteAddr: string,
): Promise<LiveVisit> {
  try {
    return { token, session: await sessions.of(token, remoteAddr) };
  } catch (error) {
    if (error instanceof Refusal && problemOf(error).code === 'session_cluster_token')
      throw new NotFound('cluster_visit');
    throw error;
  }
}

/** Returns the visit that a page of this sign-in names. @throws NotFound, Refusal */
export async function visitOf(
  options: Options,
  { actor, request, language }: Context,
  id: string,
): Promise<LiveVisit> {
  const token = await findVisit(id, actor.session.id, options.db);
  if (!token) throw new NotFound('cluster_visit');
  // The user may have changed the language since the visit began.
  return sessionOf(options, { ...token, language }, request.ip);
}

/** The target of a visit and its visitor. */
export interface VisitWish {
  readonly person: Pick<LiveToken, 'userId' | 'loginId' | 'language'>;
  readonly remoteAddr: string;
  readonly clusterId: string;
  readonly systemUserId: string;
}

/** Continues the visit of a sign-in, or begins one. @throws Refusal */
export async function beginVisit(
  options: Options,
  { person, remoteAddr, clusterId, systemUserId }: VisitWish,
): Promise<LiveVisit> {
  const { db } = options;
  const wish = { ...person, clusterId, systemUserId, minutes: MINUTES, loginFrom: 'WT' } as const;
  const latest = await latestVisit(wish, db);
  if (latest) {
    try {
      const { language } = person;
      return await sessionOf(options, { ...latest, language }, remoteAddr);
    } catch (error) {
      if (!(error instanceof NotFound)) throw error;
      // Its session ended permanently: the user asks for another one.
    }
  }
  const { id } = await transact(db, (tx) => createToken(wish, tx));
  const token = await findVisit(id, person.loginId, db);
  if (!token) throw new NotFound('cluster_visit');
  return sessionOf(options, token, remoteAddr);
}

/** Returns a visit as its page receives it. */
export function visitAnswer(visit: LiveVisit, zone: string): ClusterVisit {
  const { token, session } = visit;
  const { asset, systemUser } = session.row.grant;
  const namespaces = session.rules.flatMap((rule) => rule.namespaces);
  return {
    id: token.id,
    cluster: asset.id,
    cluster_name: asset.hostname,
    system_user: systemUser.id,
    system_user_name: systemUser.name,
    namespaces: [...new Set(namespaces)].filter((name) => !name.includes('*')).toSorted(),
    lists_namespaces: refusalOf(visit, NAMESPACES_PLACE) === null,
    date_expired: formatDatetime(token.dateExpired, zone),
  };
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Problem } from '@sallyport/contract';
import { type ClusterSession, problemOf, Refusal, wordProblem } from '../connections/index.ts';
import type { KubeRequest } from './kube-request.ts';
import { decide, type Identity, kindName, placeOf, stillAllows } from './rights.ts';
import type { LiveToken } from './tokens.ts';

const UNAUTHORIZED = 401;

/** A request to an API server, with its session and its caller. */
export interface Asked {
  readonly session: ClusterSession;
  readonly meaning: KubeRequest;
  readonly token: LiveToken;
}

/** The content of a decided request. */
export interface Sent {
  readonly headers: Parameters<ClusterSession['request']>[0]['headers'];
  readonly body?: Parameters<ClusterSession['request']>[0]['body'];
  /** The identity, if the body of the request decided it. */
  readonly identity?: Identity;
}

/** Returns the line of a request in the command log. */
const lineOf = ({ verb, group, resource, subresource, nonResource, ...place }: KubeRequest) =>
  nonResource === undefined
    ? `${verb} ${kindName(group, resource, subresource)} ${placeOf(place)}`
    : `${verb} ${nonResource}`;

/** Returns the text of a request in the command log. */
export const textOf = ({ meaning }: Pick<Asked, 'meaning'>): string =>
  `${lineOf(meaning)} (${meaning.method} ${meaning.target})`;

/** Writes a refused request into the log. */
async function refuse(asked: Asked, problem: Problem): Promise<never> {
  const { session, token } = asked;
  const outcome = wordProblem(problem, token.language);
  await session.log({ text: textOf(asked), outcome, isRefused: true });
  throw new Refusal(problem.code, problem.params);
}

/**
 * Decides on a request: every way to a cluster asks here. A refusal is logged. `onRefusal` runs
 * before. @throws Refusal
 */
export async function decideRequest(
  asked: Asked,
  onRefusal: (problem: Problem) => void = () => undefined,
): Promise<Identity> {
  const { session, meaning } = asked;
  const decision = session.stopped ? { refusal: session.stopped } : decide(meaning, session.rules);
  if (!('refusal' in decision)) return decision;
  onRefusal(decision.refusal);
  return refuse(asked, decision.refusal);
}

/** The account of the bastion at a cluster, for messages. */
const accountOf = ({ row: { grant } }: ClusterSession) => ({
  host: `${grant.asset.ip}:${grant.asset.port}`,
  account: grant.systemUser.name,
});

/**
 * Sends a decided request, and logs it before its answer is used. The request ends with its client,
 * its token, its session and its permission. @throws Refusal
 */
export async function sendRequest(
  asked: Asked,
  identity: Identity,
  near: {
    /** The answer to the client, whose end ends the request. */
    readonly response: ServerResponse;
    readonly prepare: (signal: AbortSignal) => Promise<Sent>;
    /** Returns true for problems that count as refusals of the bastion. */
    readonly isRefusal: (problem: Problem) => boolean;
    /** Timeout of the answer, or of its beginning if it is a stream. */
    readonly timeoutMs?: number;
  },
): Promise<{ readonly answer: IncomingMessage; readonly signal: AbortSignal }> {
  const { session, meaning, token } = asked;
  const { response, prepare, isRefusal, timeoutMs } = near;
  const controller = session.begin({
    isAllowed: (rules) => stillAllows(meaning, rules, identity),
    until: token.dateExpired,
  });
  const { host } = accountOf(session);
  const late = () => controller.abort(new Refusal('connect_timeout', { host }));
  const timer = timeoutMs === undefined ? undefined : setTimeout(late, timeoutMs);
  const leave = () => {
    clearTimeout(timer);
    session.done(controller);
  };
  response.once('close', leave);
  if (response.destroyed) {
    // The client left during the checks, so there is no event any more.
    leave();
    throw new Refusal('session_finished');
  }
  const began = performance.now();
  const text = textOf(asked);
  let answer: IncomingMessage;
  try {
    const { headers, body, identity: judged = identity } = await prepare(controller.signal);
    answer = await session.request(
      { method: meaning.method, path: meaning.target, headers, body },
      judged,
      controller.signal,
    );
  } catch (error) {
    leave();
    const problem = problemOf(error);
    const outcome = wordProblem(problem, token.language);
    if (!session.isOver) await session.log({ text, outcome, isRefused: isRefusal(problem) });
    throw error;
  }
  try {
    const status = answer.statusCode ?? 0;
    // The client must not take a refusal of the bastion's account for one of the token.
    if (status === UNAUTHORIZED) throw new Refusal('connect_cluster_account', accountOf(session));
    const milliseconds = Math.round(performance.now() - began);
    await session.log({ text, outcome: String(status), milliseconds });
  } catch (error) {
    answer.destroy();
    leave();
    throw error;
  }
  if (meaning.isStream) clearTimeout(timer);
  return { answer, signal: controller.signal };
}

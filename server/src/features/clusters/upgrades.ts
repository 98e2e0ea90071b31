import type { Problem } from '@sallyport/contract';
import type { FastifyReply } from 'fastify';
import { takeUpgrade } from '../../http/socket.ts';
import { databaseClock } from '../../platform/clock.ts';
import {
  acceptChannels,
  type ClusterGateway,
  type ClusterSession,
  channelsOf,
  hasKnownProtocol,
  identityHeaders,
  problemOf,
  Refusal,
  readAnswer,
  wordProblem,
} from '../connections/index.ts';
import type { Judging } from './bodies.ts';
import { UnclearRequest } from './kube-request.ts';
import { type PodCommandRequest, readPodCommand } from './pod-command.ts';
import { askUpgrade, joinStreams } from './relay-upgrade.ts';
import { decide, type Identity, stillAllows } from './rights.ts';
import type { LiveToken } from './tokens.ts';

/** Interval in which a running command keeps the session of its kubeconfig open. */
const ACTIVE_MS = 30_000;
/** Time in which a client repeats a refused WebSocket as SPDY. */
const REPEAT_MS = 10_000;

/** An allowed upgrade. */
export interface Upgrading extends Judging {
  readonly reply: FastifyReply;
  readonly token: LiveToken;
  readonly gateway: () => ClusterGateway;
}

interface PastRefusal {
  readonly problem: Problem;
  readonly until: number;
}

const refusals = new WeakMap<ClusterSession, Map<string, PastRefusal>>();

/** Remembers a refused WebSocket: `kubectl` repeats it as SPDY. */
export function rememberRefusal({ session, meaning }: Judging, problem: Problem): void {
  if (meaning.upgrade !== 'websocket') return;
  const past = refusals.get(session) ?? new Map<string, PastRefusal>();
  const now = performance.now();
  for (const [target, { until }] of past) if (until < now) past.delete(target);
  past.set(meaning.target, { problem, until: now + REPEAT_MS });
  refusals.set(session, past);
}

/** Returns the refusal of a WebSocket that the client repeats as SPDY. It is not logged again. */
export function repeatedRefusal({ session, meaning }: Judging): Problem | undefined {
  if (meaning.upgrade !== 'spdy') return undefined;
  const past = refusals.get(session);
  const refusal = past?.get(meaning.target);
  past?.delete(meaning.target);
  return refusal && refusal.until >= performance.now() ? refusal.problem : undefined;
}

/** Returns the identity of a request by permissions. @throws Refusal */
export function identityBy(
  { meaning }: Pick<Judging, 'meaning'>,
  rules: ClusterSession['rules'],
): Identity {
  const decision = decide(meaning, rules);
  if ('refusal' in decision) throw new Refusal(decision.refusal.code, decision.refusal.params);
  return decision;
}

function readCommand({ meaning, request }: Upgrading): PodCommandRequest {
  if (!hasKnownProtocol(request.raw)) throw new Refusal('cluster_upgrade');
  try {
    return readPodCommand(meaning);
  } catch (error) {
    if (error instanceof UnclearRequest)
      throw new Refusal('cluster_unclear', { message: error.message });
    throw error;
  }
}

/** Takes the connection of the client. @throws Refusal if it asked for no upgrade */
function take({ request, reply }: Upgrading) {
  const taken = takeUpgrade(request, reply);
  if (!taken) throw new Refusal('cluster_upgrade');
  return taken;
}

/** Runs `exec` or `attach` as an own recorded session. */
async function runCommand(
  upgrading: Upgrading,
  log: (outcome: string) => Promise<void>,
): Promise<void> {
  const { request, session, meaning, token, gateway } = upgrading;
  const command = readCommand(upgrading);
  const left = new AbortController();
  request.raw.socket.once('close', () => left.abort());
  if (request.raw.socket.destroyed) left.abort();
  const over = Promise.withResolvers<void>();
  void session.ended.then(over.resolve);
  const { ended } = await gateway().run({
    person: { ...session.row.person, remoteAddr: request.ip, loginId: token.loginId },
    clusterId: token.clusterId,
    systemUserId: token.systemUserId,
    path: meaning.target,
    ...command,
    identify: (rules) => identityBy(upgrading, rules),
    accept: (events) =>
      acceptChannels(
        { request: request.raw, ...take(upgrading) },
        channelsOf(command.choice),
        events,
      ),
    onSession: (id) => log(`session ${id}`),
    isOver: over.promise,
    signal: left.signal,
  });
  const timer = setInterval(() => session.passed(), ACTIVE_MS);
  const expiry = token.dateExpired.getTime() - databaseClock.now();
  const deadline = setTimeout(over.resolve, Math.max(0, expiry));
  void ended.finally(() => {
    clearInterval(timer);
    clearTimeout(deadline);
  });
}

/** Relays `port-forward`, or a WebSocket of a proxied program, as bytes. */
async function relayBytes(
  upgrading: Upgrading,
  log: (outcome: string) => Promise<void>,
): Promise<void> {
  const { request, session, meaning, token } = upgrading;
  const identity = identityBy(upgrading, session.rules);
  const controller = session.begin({
    isAllowed: (rules) => stillAllows(meaning, rules, identity),
    until: token.dateExpired,
  });
  const { signal } = controller;
  const { socket } = request.raw;
  const leave = () => controller.abort();
  socket.once('close', leave);
  if (socket.destroyed) leave();
  try {
    const stream = await session.dial(signal);
    signal.addEventListener('abort', () => stream.destroy(), { once: true });
    const { authorization, host } = session.account;
    const answer = await askUpgrade({
      method: request.method,
      path: meaning.target,
      asked: request.headers,
      identity: {
        authorization,
        host,
        ...identityHeaders(identity),
      },
      stream,
      signal,
    });
    if ('refusal' in answer) {
      const { status, message } = await readAnswer(answer.refusal);
      throw new Refusal('connect_cluster_refused', { status, message });
    }
    await log('101');
    await joinStreams(take(upgrading), { stream, ...answer }, () => session.passed());
  } finally {
    socket.off('close', leave);
    session.done(controller);
  }
}

/** Relays an allowed upgrade. Its refusal is logged once, and answered without an upgrade. */
export async function relayUpgrade(upgrading: Upgrading, text: string): Promise<FastifyReply> {
  const { reply, session, meaning, token } = upgrading;
  let isLogged = false;
  const log = async (outcome: string) => {
    isLogged = true;
    await session.log({ text, outcome });
  };
  try {
    const isCommand = meaning.subresource === 'exec' || meaning.subresource === 'attach';
    await (isCommand ? runCommand(upgrading, log) : relayBytes(upgrading, log));
  } catch (error) {
    const problem = problemOf(error);
    rememberRefusal(upgrading, problem);
    const outcome = wordProblem(problem, token.language);
    if (!isLogged && !session.isOver) await session.log({ text, outcome, isRefused: true });
    throw error;
  }
  return reply;
}

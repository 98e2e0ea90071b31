import type { IncomingMessage } from 'node:http';
import type { Problem } from '@sallyport/contract';
import type { Context } from '../../../http/context.ts';
import { problemOf, Refusal, readAnswer, wordProblem } from '../../connections/index.ts';
import { collect, MAX_BODY, MEBIBYTE } from '../bodies.ts';
import { checked, type Json } from '../kube-body.ts';
import { type KubeRequest, parseKubeRequest, UnclearRequest } from '../kube-request.ts';
import { decideRequest, sendRequest } from '../relay-request.ts';
import { decide } from '../rights.ts';
import type { LiveVisit } from './live-visit.ts';

/** Timeout of an answer that a page waits for. */
const ANSWER_MS = 30_000;
const OK = 200;

/** The place of objects that a page reads. */
export interface PagePlace {
  readonly group: string;
  /** Empty for all namespaces, and for kinds without. */
  readonly namespace: string;
  readonly resource: string;
  readonly name?: string;
  readonly subresource?: string;
  readonly query?: Readonly<Record<string, string>>;
}

/** Returns the address of a place at the API server. */
function addressOf(place: PagePlace): string {
  const { group, namespace, resource, name, subresource, query = {} } = place;
  const parts = [
    group === '' ? '/api/v1' : `/apis/${group}/v1`,
    ...(namespace === '' ? [] : ['namespaces', namespace]),
    resource,
    ...(name === undefined ? [] : [name]),
    ...(subresource === undefined ? [] : [subresource]),
  ];
  const [first = '', ...rest] = parts;
  return `${[first, ...rest.map(encodeURIComponent)].join('/')}?${new URLSearchParams(query)}`;
}

/** Returns the request for a place, read as those of other clients. @throws Refusal */
export function meaningOf(place: PagePlace, upgrade?: string): KubeRequest {
  try {
    return parseKubeRequest('GET', addressOf(place), upgrade);
  } catch (error) {
    if (error instanceof UnclearRequest)
      throw new Refusal('cluster_unclear', { message: error.message });
    throw error;
  }
}

/** Returns the sentence of a refusal that a request would meet now; null if none. */
export function refusalOf(
  { session, token }: LiveVisit,
  place: PagePlace,
  upgrade?: string,
): string | null {
  const decision = decide(meaningOf(place, upgrade), session.rules);
  return 'refusal' in decision ? wordProblem(decision.refusal, token.language) : null;
}

const unlike = ({ row: { grant } }: LiveVisit['session']): Refusal =>
  new Refusal('connect_cluster_answer', { host: `${grant.asset.ip}:${grant.asset.port}` });

const tooLarge = () => new Refusal('cluster_large_answer', { max: MAX_BODY / MEBIBYTE });

const isRefusal = ({ code }: Problem): boolean => code.startsWith('cluster_');

/**
 * Sends a request of a page, with the decision and the log of every request to a cluster.
 * @throws Refusal, also for an answer that is no success
 */
export async function askAsPage(
  { session, token }: LiveVisit,
  { reply }: Pick<Context, 'reply'>,
  place: PagePlace,
  accept = 'application/json',
): Promise<{ readonly answer: IncomingMessage; readonly signal: AbortSignal }> {
  const meaning = meaningOf(place);
  const request = { session, meaning, token };
  const identity = await decideRequest(request);
  const { answer, signal } = await sendRequest(request, identity, {
    response: reply.raw,
    isRefusal,
    timeoutMs: ANSWER_MS,
    prepare: async () => ({ headers: { accept } }),
  });
  if (answer.statusCode === OK) return { answer, signal };
  const { status, message } = await readAnswer(answer);
  throw new Refusal('connect_cluster_refused', { status, message });
}

/** Reads a JSON answer of limited size. @throws Refusal */
export async function readAsPage(...args: Parameters<typeof askAsPage>): Promise<Json> {
  const { answer, signal } = await askAsPage(...args);
  let text: string;
  try {
    text = (await collect(answer, tooLarge)).toString('utf8');
  } catch (error) {
    answer.destroy();
    if (problemOf(error).code !== 'internal') throw error;
    // The page left, or the connection broke within the answer.
    throw signal.reason instanceof Refusal ? signal.reason : unlike(args[0].session);
  }
  try {
    return checked(JSON.parse(text));
  } catch {
    throw unlike(args[0].session);
  }
}

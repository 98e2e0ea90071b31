import {
  type ClusterNamespaces,
  type ClusterObject,
  type ClusterObjects,
  type ClusterPageKind,
  type ClusterVisit,
  HTTP_TIMEOUT,
} from '@sallyport/contract';
import { ApiError, addressOf, api, errorOf, headersOf } from '../../../../kit/api.ts';

const VISITS = 'perms/users/clusters/visits/';
/** Characters of a log that a page keeps; older ones are dropped. */
const MAX_LOG = 1_000_000;

/** The place of an object in a cluster. */
export interface ObjectPlace {
  readonly kind: ClusterPageKind;
  readonly namespace: string;
  readonly name: string;
}

/** A log that a page reads. */
export interface LogWish {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly lines: number;
  readonly previous: boolean;
  readonly follow: boolean;
}

export const clusterApi = {
  connect: (cluster: string, systemUser: string | undefined, signal: AbortSignal) =>
    api.post<ClusterVisit>(VISITS, { cluster, system_user: systemUser }, { quiet: true, signal }),
  namespaces: (visit: string, signal: AbortSignal) =>
    api.get<ClusterNamespaces>(`${VISITS}${visit}/namespaces/`, { quiet: true, signal }),
  objects: (
    visit: string,
    query: { readonly kind: string; readonly namespace: string; readonly continue: string },
    signal: AbortSignal,
  ) => api.get<ClusterObjects>(`${VISITS}${visit}/objects/`, { query, quiet: true, signal }),
  object: (visit: string, { kind, namespace, name }: ObjectPlace, signal: AbortSignal) =>
    api.get<ClusterObject>(`${VISITS}${visit}/object/`, {
      query: { kind, namespace, name },
      quiet: true,
      signal,
    }),
};

/** Returns the end of a long log: whole lines, or the end of a line that is longer. */
function endOf(text: string): string {
  const from = text.length - MAX_LOG;
  if (from <= 0) return text;
  const line = text.indexOf('\n', from);
  return text.slice(line === -1 ? from : line + 1);
}

/** Reads a log and passes on its text so far, until it ends or `signal` aborts. @throws ApiError */
export async function readLog(
  visit: string,
  { lines, follow, previous, ...place }: LogWish,
  onText: (text: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const query = {
    ...place,
    lines,
    ...(follow && { follow }),
    ...(previous && { previous }),
  };
  const late = follow ? signal : AbortSignal.any([signal, AbortSignal.timeout(HTTP_TIMEOUT)]);
  const fail = (cause: unknown): never => {
    if (signal.aborted) throw cause;
    throw new ApiError(0, 'unreachable', '');
  };
  const response = await fetch(addressOf(`${VISITS}${visit}/log/`, query), {
    headers: headersOf(undefined),
    credentials: 'same-origin',
    signal: late,
  }).catch(fail);
  if (!response.ok) throw errorOf(response.status, await response.json().catch(() => undefined));
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const read = () => reader?.read().catch(fail);
  let text = '';
  for (let part = await read(); part && !part.done; part = await read()) {
    text = endOf(`${text}${part.value}`);
    onText(text);
  }
}

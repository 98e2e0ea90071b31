import type { IncomingHttpHeaders } from 'node:http';

/** Headers of a request that reach the API server. All others, such as those of identity, stay. */
const SENT = [
  'accept',
  'accept-encoding',
  'content-type',
  'content-length',
  'user-agent',
  'if-match',
  'if-none-match',
  'kubectl-command',
  'kubectl-session',
  'range',
] as const;

/** Headers of an answer that reach the client. */
const RETURNED = [
  'content-type',
  'content-length',
  'content-encoding',
  'content-range',
  'etag',
  'last-modified',
  'location',
  'retry-after',
  'vary',
  'warning',
  'audit-id',
  'x-kubernetes-pf-flowschema-uid',
  'x-kubernetes-pf-prioritylevel-uid',
] as const;

function only(headers: IncomingHttpHeaders, names: readonly string[]): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of names) {
    const value = headers[name];
    if (value !== undefined) kept[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return kept;
}

/** Returns the headers of a request for the API server. */
export const sentHeaders = (headers: IncomingHttpHeaders) => only(headers, SENT);

/** Returns the headers of an answer for the client, which reaches the cluster at `base`. */
export function returnedHeaders(headers: IncomingHttpHeaders, base: string) {
  const { location, ...rest } = only(headers, RETURNED);
  if (location === undefined) return rest;
  return { ...rest, location: /^\/(?!\/)/.test(location) ? `${base}${location}` : location };
}

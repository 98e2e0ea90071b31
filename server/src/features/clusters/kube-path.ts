/** A request that is refused because its address has no clear meaning. The text says why. */
export class UnclearRequest extends Error {}

/** Longest address that we read. `kubectl exec` puts its command there. */
const MOST_CHARACTERS = 32_768;
const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const GROUP = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*$/;
const VERSION = /^v[0-9]+((alpha|beta)[0-9]+)?$/;
/** Printable ASCII without the characters that are special in paths. */
const NAME = /^(?!\.{1,2}$)[\x20-\x22\x24\x26-\x2e\x30-\x3e\x40-\x5b\x5d-\x7e]{1,253}$/;

const unclear = (text: string): never => {
  throw new UnclearRequest(text);
};

/** Returns a resource, namespace or subresource. @throws UnclearRequest */
export const readLabel = (part: string, what: string): string =>
  LABEL.test(part) ? part : unclear(`The path has no valid ${what}.`);

/** Returns an API group. @throws UnclearRequest */
export const readGroup = (part: string): string =>
  part.length <= 253 && GROUP.test(part) ? part : unclear('The path has no valid API group.');

/** Returns the version of an API. @throws UnclearRequest */
export const readVersion = (part: string): string =>
  part.length <= 32 && VERSION.test(part) ? part : unclear('The path has no valid API version.');

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return unclear('The address has an invalid escape.');
  }
}

/** Returns the decoded name of an object. @throws UnclearRequest */
export function readName(part: string): string {
  const name = decode(part);
  return NAME.test(name) ? name : unclear('The path has no valid name of an object.');
}

/** Returns true for a part of a path that two servers could understand differently. */
function isAmbiguous(part: string): boolean {
  const text = decode(part);
  return text === '' || text === '.' || text === '..' || /[/\\%\p{Cc}]/u.test(text);
}

/** Path and query of an address. */
export interface SplitAddress {
  readonly path: string;
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
  /** True if the path ends with a slash. */
  readonly hasSlash: boolean;
}

/**
 * Splits the address of a request. Refuses paths that two servers could understand differently:
 * empty parts, dots, encoded slashes, backslashes and control characters. @throws UnclearRequest
 */
export function splitAddress(url: string): SplitAddress {
  if (url.length > MOST_CHARACTERS) unclear('The address is too long.');
  if (!/^\/[\x21\x24-\x7e]*$/.test(url)) unclear('The address has an invalid character.');
  const [path = '', ...rest] = url.split('?');
  const query = rest.join('?');
  // Go drops a pair with a semicolon; other servers split there.
  if (query.includes(';')) unclear('The query has a semicolon that is not encoded.');
  if (/%(?![0-9a-f]{2})/i.test(query)) unclear('The query has an invalid escape.');
  const hasSlash = path.endsWith('/');
  const inner = path.slice(1, hasSlash && path.length > 1 ? -1 : undefined);
  const parts = inner === '' ? [] : inner.split('/');
  if (parts.some(isAmbiguous)) unclear('The path has a part that is empty, dots, or encoded.');
  return { path, parts, query: new URLSearchParams(query), hasSlash };
}

/** Returns a switch of the query, false if missing. @throws UnclearRequest */
export function readSwitch(query: URLSearchParams, name: string): boolean {
  const values = query.getAll(name);
  if (values.length === 0) return false;
  if (values.length > 1) unclear(`The query has ${name} twice.`);
  // The Python client writes True and False.
  const value = values[0]?.toLowerCase();
  if (value === 'true' || value === '1') return true;
  return value === 'false' || value === '0' ? false : unclear(`The query has no valid ${name}.`);
}

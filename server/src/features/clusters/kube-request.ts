import {
  actionOf,
  asksAboutItself,
  type KubeAction,
  type KubeTarget,
  type KubeVerb,
} from './kube-actions.ts';
import { kubeKind } from './kube-kinds.ts';
import {
  readGroup,
  readLabel,
  readName,
  readSwitch,
  readVersion,
  type SplitAddress,
  splitAddress,
  UnclearRequest,
} from './kube-path.ts';

export { UnclearRequest } from './kube-path.ts';

export type KubeUpgrade = 'websocket' | 'spdy';

/** Meaning of a request to an API server. */
export interface KubeRequest {
  readonly method: string;
  /** Path and query to relay: exactly the address that was judged. */
  readonly target: string;
  readonly verb: KubeVerb;
  /** Empty for the core group, and if `nonResource` is set. */
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  /** Empty for cluster-wide resources, and for lists over all namespaces. */
  readonly namespace: string;
  readonly name: string;
  /** Path of a request for version, discovery or health, which every user may read. */
  readonly nonResource: string | undefined;
  /** Named action that the request needs besides its verb. */
  readonly action: KubeAction | undefined;
  /** True if it needs no permission: discovery, and questions about the user's own rights. */
  readonly isOpen: boolean;
  /** False for extensions, which a permission must name. */
  readonly isKnown: boolean;
  /** True if its body can hold pods, which `pod-rights.ts` must judge first. */
  readonly holdsPods: boolean;
  /** True if the answer continues until one side ends it. */
  readonly isStream: boolean;
  readonly upgrade: KubeUpgrade | undefined;
  readonly query: URLSearchParams;
}

const OPEN_PATHS = /^\/(version|api|apis|openapi\/v[23]|healthz|livez|readyz)?(\/|$)/;
const OPEN_DEPTH = 6;
const VERBS: Readonly<Record<string, KubeVerb>> = {
  GET: 'get',
  HEAD: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};
const UPGRADED = new Set(['exec', 'attach', 'portforward']);
const WRITES_BODY = new Set<KubeVerb>(['create', 'update', 'patch']);

function readUpgrade(header: string | undefined): KubeUpgrade | undefined {
  if (header === undefined) return undefined;
  const name = header.trim().toLowerCase();
  if (name === 'websocket') return 'websocket';
  if (name === 'spdy/3.1') return 'spdy';
  throw new UnclearRequest('The bastion relays only WebSocket and SPDY/3.1 upgrades.');
}

function readOpen(method: string, address: SplitAddress): KubeRequest {
  if (method !== 'GET' && method !== 'HEAD')
    throw new UnclearRequest('The bastion only reads paths without a resource.');
  if (!OPEN_PATHS.test(address.path) || address.parts.length > OPEN_DEPTH)
    throw new UnclearRequest('The bastion does not relay this path.');
  return {
    method,
    target: targetOf(address.path, address.query),
    verb: 'get',
    group: '',
    version: '',
    resource: '',
    subresource: '',
    namespace: '',
    name: '',
    nonResource: address.path,
    action: undefined,
    isOpen: true,
    isKnown: true,
    holdsPods: false,
    isStream: false,
    upgrade: undefined,
    query: address.query,
  };
}

/** Returns the verb that a permission must grant: that of the effect. */
function rightOf({ resource, subresource, verb }: KubeTarget): KubeVerb {
  if (resource !== 'pods') return verb;
  if (UPGRADED.has(subresource)) return 'create';
  return subresource === 'eviction' ? 'delete' : verb;
}

/** Returns true for a subresource whose body can change the pods of an object. */
const hasSpec = (subresource: string): boolean =>
  subresource === '' || subresource === 'ephemeralcontainers';

const targetOf = (path: string, query: URLSearchParams): string =>
  query.size === 0 ? path : `${path}?${query}`;

/** Returns true for a path of discovery: a group, or a group and its version. */
const isDiscovery = ([first, ...rest]: readonly string[]): boolean =>
  first === 'api' ? rest.length < 2 : first === 'apis' ? rest.length < 3 : true;

interface Place {
  /** True for a namespace itself, whose path has no other namespace. */
  isOwn: boolean;
  namespace: string;
  resource: string;
  name: string;
  subresource: string;
  tail: readonly string[];
}

/** Reads the parts after the version, as an API server does. */
function readPlace(parts: readonly string[]): Place {
  let rest = parts;
  let namespace = '';
  let isOwn = false;
  if (rest[0] === 'namespaces' && rest[1] !== undefined) {
    namespace = readLabel(rest[1], 'namespace');
    isOwn = rest[2] === undefined || rest[2] === 'status' || rest[2] === 'finalize';
    if (!isOwn) rest = rest.slice(2);
  }
  const [resource = '', name, subresource, ...tail] = rest;
  return {
    isOwn,
    namespace,
    resource: readLabel(resource, 'resource'),
    name: name === undefined ? '' : readName(name),
    subresource: subresource === undefined ? '' : readLabel(subresource, 'subresource'),
    tail,
  };
}

function readVerb(method: string, { name }: Place, watches: boolean): KubeVerb {
  const verb = VERBS[method];
  if (!verb) throw new UnclearRequest('The bastion does not relay this method.');
  if (verb === 'get' && name === '') return watches ? 'watch' : 'list';
  return verb === 'delete' && name === '' ? 'deletecollection' : verb;
}

/** Checks that a method and an upgrade fit the resource. @throws UnclearRequest */
function checkUpgrade(
  group: string,
  place: Place,
  method: string,
  upgrade: KubeUpgrade | undefined,
): void {
  const isUpgraded = group === '' && place.resource === 'pods' && UPGRADED.has(place.subresource);
  if (isUpgraded && !upgrade)
    throw new UnclearRequest(`${place.subresource} needs WebSocket or SPDY/3.1.`);
  if (isUpgraded && method !== 'GET' && method !== 'POST')
    throw new UnclearRequest(`${place.subresource} needs GET or POST.`);
  const isProxy = group === '' && place.subresource === 'proxy';
  if (upgrade && !isUpgraded && !isProxy)
    throw new UnclearRequest('This resource cannot be upgraded.');
}

/** Returns the part of the path after the version, encoded again. */
const encodePlace = ({ isOwn, namespace, resource, name, subresource, tail }: Place): string => {
  const parts = namespace && !isOwn ? ['namespaces', namespace, resource] : [resource];
  if (name) parts.push(encodeURIComponent(name).replaceAll('%3A', ':'));
  if (subresource) parts.push(subresource, ...tail);
  return parts.join('/');
};

/**
 * Returns the meaning of a request: the attributes that the API server will decide by, and the
 * action that a permission must name. `url` is path and query at the API server. Refuses every
 * address with more than one meaning, and guesses none. @throws UnclearRequest with a sentence
 */
export function parseKubeRequest(method: string, url: string, upgradeHeader?: string): KubeRequest {
  const address = splitAddress(url);
  const upgrade = readUpgrade(upgradeHeader);
  const { parts, query } = address;
  const prefix = parts[0];
  if ((prefix !== 'api' && prefix !== 'apis') || isDiscovery(parts)) {
    if (upgrade) throw new UnclearRequest('This path cannot be upgraded.');
    return readOpen(method, address);
  }
  const group = prefix === 'api' ? '' : readGroup(parts[1] ?? '');
  const [rawVersion = '', ...rest] = parts.slice(prefix === 'api' ? 1 : 2);
  const version = readVersion(rawVersion);
  const byPath = rest[0] === 'watch' || rest[0] === 'proxy';
  if (byPath)
    throw new UnclearRequest('The bastion does not relay verbs in paths. Use ?watch=true.');
  const place = readPlace(rest);
  const { namespace, resource, name, subresource, tail } = place;
  const isProxy = subresource === 'proxy';
  if (tail.length > 0 && !isProxy) throw new UnclearRequest('The path has more parts than it may.');
  if (address.hasSlash && !isProxy) throw new UnclearRequest('The path ends with a slash.');
  checkUpgrade(group, place, method, upgrade);

  const kind = kubeKind(group, resource);
  const watches = readSwitch(query, 'watch');
  const verb = readVerb(method, place, watches);
  const isKnown = kind !== undefined && (!subresource || kind.subresources.includes(subresource));
  const attributes = { group, resource, subresource, verb };
  const path = `/${prefix}/${group && `${group}/`}${version}/${encodePlace(place)}`;
  const follows = subresource === 'log' && readSwitch(query, 'follow');
  return {
    method,
    target: targetOf(address.hasSlash ? `${path}/` : path, query),
    ...attributes,
    verb: rightOf(attributes),
    version,
    namespace,
    name,
    nonResource: undefined,
    action: actionOf(attributes),
    isOpen: asksAboutItself(attributes),
    isKnown,
    holdsPods: WRITES_BODY.has(verb) && (kind ? kind.holdsPods && hasSpec(subresource) : true),
    isStream: upgrade !== undefined || verb === 'watch' || follows,
    upgrade,
    query,
  };
}

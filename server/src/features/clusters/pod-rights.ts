import type { KubeAction } from './kube-actions.ts';
import { isList, isObject, type Json, type KubeBody, readKubeBody } from './kube-body.ts';
import { applyJsonPatch, applyMergePatch, readPointer } from './kube-patches.ts';
import type { KubeRequest } from './kube-request.ts';
import { type Hazard, hazardsIn, hazardText, isWhole, tokensIn } from './pod-hazards.ts';

export { UnreadableBody } from './kube-body.ts';

/** Decision about a body that can hold pods. */
export interface PodJudgement {
  /** Actions that the permission must name, besides verb and action of the request. */
  readonly needs: readonly KubeAction[];
  /** Places in the object that need them, for the sentence of a refusal. */
  readonly reasons: readonly string[];
  /** Body and content type to relay instead of the client's. */
  readonly body: string;
  readonly contentType: string;
  /** True if the API server answers 409 when the object has changed since it was fetched. */
  readonly isPinned: boolean;
}

const MOST_REASONS = 8;
const TEMPLATE = ['spec', 'template', 'spec'];
/** Path of the pod in the objects of a resource. The pod of other kinds can be anywhere. */
const POD_PATHS: Readonly<Record<string, readonly string[]>> = {
  'pods.': ['spec'],
  'podtemplates.': ['template', 'spec'],
  'replicationcontrollers.': TEMPLATE,
  'daemonsets.apps': TEMPLATE,
  'deployments.apps': TEMPLATE,
  'replicasets.apps': TEMPLATE,
  'statefulsets.apps': TEMPLATE,
  'jobs.batch': TEMPLATE,
  'cronjobs.batch': ['spec', 'jobTemplate', 'spec', 'template', 'spec'],
};

const partAt = (value: Json | undefined, path: readonly string[]): Json | undefined =>
  path.reduce<Json | undefined>((part, key) => (isObject(part) ? part[key] : undefined), value);

/** Returns the pod of an object, or all of it except metadata and status. */
function podOf(value: Json | undefined, path: readonly string[]): Json | undefined {
  if (path.length > 0 || !isObject(value)) return partAt(value, path);
  const { metadata: _metadata, status: _status, ...rest } = value;
  return rest;
}

/** Returns JSON with sorted keys, for comparisons. */
const canonical = (value: Json | undefined): string =>
  JSON.stringify(value ?? null, (_key, part: Json) =>
    isObject(part) ? Object.fromEntries(Object.entries(part).toSorted()) : part,
  );

/** Returns true if a merge or apply patch has the pod, or replaces a part that holds it. */
function mergeTouches(patch: Json, path: readonly string[]): boolean {
  let part: Json | undefined = patch;
  for (const key of path) {
    if (!isObject(part)) return part !== undefined;
    if (Object.keys(part).some((name) => name.startsWith('$'))) return true;
    part = part[key];
  }
  return path.length === 0 || part !== undefined;
}

/** Returns true if an operation of a JSON patch changes the pod or a part that holds it. */
const operationsTouch = (patch: readonly Json[], path: readonly string[]): boolean =>
  patch.some((operation) => {
    if (!isObject(operation) || operation.op === 'test') return false;
    const places = [operation.path, ...(operation.op === 'move' ? [operation.from] : [])];
    return places.some((place) => {
      const keys = readPointer(place);
      return path.every((key, index) => index >= keys.length || keys[index] === key);
    });
  });

interface Outcome {
  readonly hazards: readonly Hazard[];
  /** True if the existing object decides with the body. */
  readonly dependsOnExisting: boolean;
}

/** Finds the hazards of a kind, whose pod is at `path`. */
interface Search {
  readonly find: (value: Json | undefined) => readonly Hazard[];
  readonly path: readonly string[];
}

/** Values of a Secret are not read: their keys may be those of a pod. */
const searchOf = ({ group, resource }: KubeRequest): Search => ({
  find: group === '' && resource === 'secrets' ? tokensIn : hazardsIn,
  path: POD_PATHS[`${resource}.${group}`] ?? [],
});

/** Returns the hazards of a write. Strategic and apply patches count parts, never less. */
function outcomeOf(body: KubeBody, existing: Json | undefined, { find, path }: Search): Outcome {
  const { kind, value } = body;
  if (kind === 'strategic' || kind === 'apply') {
    const dependsOnExisting = existing !== undefined && mergeTouches(value, path);
    const before = dependsOnExisting ? find(existing) : [];
    return { hazards: [...find(value), ...before], dependsOnExisting };
  }
  const result =
    kind === 'object'
      ? value
      : isList(value)
        ? applyJsonPatch(existing ?? {}, value)
        : applyMergePatch(existing, value);
  const hazards = find(result);
  if (existing === undefined) return { hazards, dependsOnExisting: false };
  const touches =
    kind === 'object' || (isList(value) ? operationsTouch(value, path) : mergeTouches(value, path));
  const known = new Set(find(existing).map(hazardText));
  const isSame =
    canonical(podOf(result, path)) === canonical(podOf(existing, path)) &&
    hazards.every((hazard) => isWhole(hazard) && known.has(hazardText(hazard)));
  return { hazards: isSame ? [] : hazards, dependsOnExisting: touches };
}

/** Returns the body with the version of the object that was judged. */
function pin({ value }: KubeBody, version: Json): Json {
  if (isList(value))
    return [{ op: 'test', path: '/metadata/resourceVersion', value: version }, ...value];
  const object = isObject(value) ? value : {};
  const metadata = isObject(object.metadata) ? object.metadata : {};
  // Another version is a conflict at the API server. A blank one would mean any version.
  const resourceVersion = metadata.resourceVersion || version;
  return { ...object, metadata: { ...metadata, resourceVersion } };
}

/** Names of the service accounts that an object has already. */
const accountsOf = (hazards: readonly Hazard[]): ReadonlySet<string> =>
  new Set(hazards.filter(({ action }) => action === 'escalate').map(({ detail }) => detail));

/**
 * Decides which actions a write needs before the API server sees it. For updates and patches,
 * `existing` is the JSON of the object at the API server, undefined if it has none.
 * @throws UnreadableBody for a body that we cannot judge
 */
export function judgePods(
  request: KubeRequest,
  contentType: string | undefined,
  bytes: Buffer,
  existingBytes?: Buffer,
): PodJudgement {
  const existing = existingBytes && readKubeBody('application/json', existingBytes, false).value;
  const body = readKubeBody(contentType, bytes, request.verb === 'patch');
  const search = searchOf(request);
  const { hazards, dependsOnExisting } = outcomeOf(body, existing, search);
  const accounts = accountsOf(search.find(existing));
  const counted = hazards.filter(
    ({ action, detail }) => action !== 'escalate' || !accounts.has(detail),
  );
  const version = partAt(existing, ['metadata', 'resourceVersion']);
  const isPinned = dependsOnExisting && version !== undefined;
  return {
    needs: [...new Set(counted.map(({ action }) => action))].toSorted(),
    reasons: [...new Set(counted.map(hazardText))].slice(0, MOST_REASONS),
    body: JSON.stringify(isPinned ? pin(body, version) : body.value),
    contentType: body.contentType,
    isPinned,
  };
}

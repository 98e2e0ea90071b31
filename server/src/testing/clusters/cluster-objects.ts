import { randomUUID } from 'node:crypto';
import type { Json, JsonObject } from '../../features/clusters/kube-body.ts';
import { applyJsonPatch, applyMergePatch } from '../../features/clusters/kube-patches.ts';

export interface KubeObject {
  readonly [key: string]: Json | undefined;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly resourceVersion: string;
    readonly [key: string]: Json | undefined;
  };
}

/** Place of objects: group, resource and namespace ('' for all). */
export interface ObjectPlace {
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
}

type Watcher = (type: 'ADDED' | 'MODIFIED' | 'DELETED', object: KubeObject) => void;

/** A request that the API server answers with a `Status`. */
export class ApiProblem extends Error {
  readonly code: number;
  readonly reason: string;

  constructor(code: number, reason: string, message: string) {
    super(message);
    this.code = code;
    this.reason = reason;
  }
}

/** Objects of a small API server, with versions and watches. */
export class ClusterObjects {
  private readonly objects = new Map<string, KubeObject>();
  private readonly watchers = new Map<Watcher, string>();
  private version = 100;

  list(place: ObjectPlace): KubeObject[] {
    const prefix = keyOf(place);
    return [...this.objects].filter(([key]) => key.startsWith(prefix)).map(([, object]) => object);
  }

  get listVersion(): string {
    return String(this.version);
  }

  get(place: ObjectPlace, name: string): KubeObject {
    const object = this.objects.get(`${keyOf(place)}${name}`);
    if (!object) throw new ApiProblem(404, 'NotFound', `${place.resource} "${name}" not found`);
    return object;
  }

  create(place: ObjectPlace, body: JsonObject): KubeObject {
    const { name = randomUUID() } = (body.metadata ?? {}) as { name?: string };
    if (this.objects.has(`${keyOf(place)}${name}`))
      throw new ApiProblem(409, 'AlreadyExists', `${place.resource} "${name}" already exists`);
    return this.put(place, name, body, 'ADDED');
  }

  update(place: ObjectPlace, name: string, body: JsonObject): KubeObject {
    const { metadata } = this.get(place, name);
    const { resourceVersion } = (body.metadata ?? {}) as { resourceVersion?: string };
    if (resourceVersion && resourceVersion !== metadata.resourceVersion)
      throw new ApiProblem(409, 'Conflict', 'the object has been modified');
    return this.put(place, name, body, 'MODIFIED');
  }

  /** Strategic and apply patches count as merge patches, which replace lists. */
  patch(place: ObjectPlace, name: string, patch: Json): KubeObject {
    const existing = this.get(place, name);
    const patched = Array.isArray(patch)
      ? applyJsonPatch(existing, patch as readonly Json[])
      : applyMergePatch(existing, patch);
    return this.update(place, name, patched as JsonObject);
  }

  delete(place: ObjectPlace, name: string): KubeObject {
    const object = this.get(place, name);
    this.objects.delete(`${keyOf(place)}${name}`);
    this.tell('DELETED', place, object);
    return object;
  }

  /** Calls `watcher` for each change of a place until the returned function runs. */
  watch(place: ObjectPlace, watcher: Watcher): () => void {
    this.watchers.set(watcher, keyOf(place));
    return () => this.watchers.delete(watcher);
  }

  private put(place: ObjectPlace, name: string, body: JsonObject, type: 'ADDED' | 'MODIFIED') {
    this.version++;
    const { namespace } = place;
    const object: KubeObject = {
      ...body,
      metadata: {
        ...(body.metadata as JsonObject | undefined),
        name,
        ...(namespace && { namespace }),
        resourceVersion: String(this.version),
      },
    };
    this.objects.set(`${keyOf(place)}${name}`, object);
    this.tell(type, place, object);
    return object;
  }

  private tell(type: 'ADDED' | 'MODIFIED' | 'DELETED', place: ObjectPlace, object: KubeObject) {
    for (const [watcher, prefix] of this.watchers)
      if (`${keyOf(place)}${object.metadata.name}`.startsWith(prefix)) watcher(type, object);
  }
}

const keyOf = ({ group, resource, namespace }: ObjectPlace): string =>
  `${group}/${resource}/${namespace && `${namespace}/`}`;

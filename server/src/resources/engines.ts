import { RESOURCES, type Resource } from '@sallyport/contract';
import type { MountedResource, Registry, ResourceHooks, ResourceServices } from './hooks.ts';
import { createReader, type Reader } from './read/reader.ts';
import { createWriter, type Writer } from './write/writer.ts';

/** A resource with its reader and writer. */
export interface ResourceEngine extends MountedResource {
  readonly reader: Reader;
  readonly writer: Writer;
}

export type Engines = ReadonlyMap<string, ResourceEngine>;

/**
 * Builds the engines, by default of all declared resources. `hooks` are by resource name. @throws
 * Error for hooks of an unknown resource
 */
export function createEngines(
  hooks: Readonly<Record<string, ResourceHooks>>,
  services: ResourceServices,
  resources: readonly Resource[] = RESOURCES,
): Engines {
  const registry: Registry = new Map(
    resources.map((resource) => [resource.name, { resource, hooks: hooks[resource.name] ?? {} }]),
  );
  const stray = Object.keys(hooks).find((name) => !registry.has(name));
  if (stray) throw new Error(`hooks for ${stray}, which is no resource`);
  return new Map(
    [...registry].map(([name, mounted]) => {
      const reader = createReader(mounted, registry, services);
      return [
        name,
        { ...mounted, reader, writer: createWriter(mounted, registry, services, reader) },
      ];
    }),
  );
}

/** @throws Error if the resource is not mounted */
export function engineOf(engines: Engines, resource: Resource): ResourceEngine {
  const engine = engines.get(resource.name);
  if (!engine) throw new Error(`${resource.name} is not mounted`);
  return engine;
}

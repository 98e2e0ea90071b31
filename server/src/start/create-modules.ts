import { FEATURE_NAMES, isFeatureName, type Resource } from '@sallyport/contract';
import { StartError } from '../config.ts';
import type { Contribution, Core, Expiry, Module, Site } from '../module.ts';
import type { Logger } from '../platform/log.ts';
import { type AttentionSources, collectAttention } from '../resources/attention.ts';
import { type Engines, engineOf } from '../resources/engines.ts';
import type { ResourceHooks } from '../resources/hooks.ts';
import type { Undo } from './lifetime.ts';

/** Parts of the core that the modules add to. */
export type Collected = 'expiries' | 'attention' | 'off';

/** The created modules of a program. */
export interface Modules {
  use<Service>(module: Module<Service>): Service;
  readonly hooks: Readonly<Record<string, ResourceHooks>>;
  readonly expiries: readonly Expiry[];
  /** Returns false for a resource of a feature that is off. */
  isServed(resource: Resource): boolean;
  readonly attention: AttentionSources;
  /** Passes the engines to the modules and adds their routes. */
  addRoutes(site: Site): Promise<void>;
  /** Rejects new users and waits for current ones, as long as the operator allows. */
  leave(): Promise<void>;
  /** Rejects new connections, and waits until the open ones have ended and no job runs. */
  handOver(): Promise<void>;
  /** Starts the modules, then their timers, then their jobs. */
  start(undo: Undo): Promise<void>;
}

/** Names features that are no optional ones. @throws StartError */
function assertOptional(without: readonly string[]): void {
  const unknown = without.find((name) => !isFeatureName(name));
  if (unknown !== undefined)
    throw new StartError(
      `SALLYPORT_WITHOUT: ${unknown} cannot be switched off. The features are: ${FEATURE_NAMES.join(', ')}`,
    );
}

/**
 * Creates modules in order, without those that the installation switched off; each may use those
 * before it. They stop in reverse.
 */
export async function createModules(
  list: readonly Module[],
  opened: Omit<Core, Collected>,
  undo: Undo,
): Promise<Modules> {
  const expiries: Expiry[] = [];
  const attention = collectAttention();
  const { without } = opened.config;
  assertOptional(without);
  const [off = [], on = []] = [true, false].map((wanted) =>
    list.filter(({ name }) => without.includes(name) === wanted),
  );
  const core: Core = { ...opened, expiries, attention: attention.sources, off };
  const created = new Map<Module, Contribution<unknown>>();
  const use = <Service>(module: Module<Service>): Service => {
    const contribution = created.get(module);
    if (!contribution) throw new Error(`the module ${module.name} is used before it is created`);
    // The map stores each service under its module, so the type matches.
    return contribution.service as Service;
  };
  let engines: Engines | undefined;
  const engine = (resource: Resource) => {
    if (!engines) throw new Error(`the engine of ${resource.name} is used before it is built`);
    return engineOf(engines, resource);
  };
  const hooks: Record<string, ResourceHooks> = {};
  for (const module of on) {
    const contribution = await module.create({ core, use, engine });
    created.set(module, contribution);
    if (contribution.stop) undo.add(contribution.stop);
    core.jobs.define(...(contribution.jobs ?? []));
    if (contribution.expiry) expiries.push(contribution.expiry);
    if (contribution.attention) attention.add(module.name, contribution.attention);
    for (const [resource, own] of Object.entries(contribution.hooks ?? {})) {
      if (hooks[resource])
        throw new Error(`${module.name}: another module has hooks for ${resource}`);
      hooks[resource] = own;
    }
  }
  return {
    use,
    hooks,
    expiries,
    attention: attention.sources,
    isServed: ({ table }) => !off.some(({ tables }) => tables.includes(table)),
    async addRoutes(site) {
      engines = site.engines;
      for (const { routes } of created.values()) await routes?.(site);
    },
    async leave() {
      await Promise.all([...created.values()].map(({ leave }) => leave?.()));
    },
    async handOver() {
      await Promise.all([
        core.jobs.handOver(),
        ...[...created.values()].map(({ handOver }) => handOver?.()),
      ]);
    },
    async start(started) {
      for (const { start, drain, timers = [] } of created.values()) {
        for (const { everyMilliseconds, run } of timers)
          started.add(repeat(everyMilliseconds, run, core.log));
        if (drain) started.add(drain);
        await start?.();
      }
      started.add(() => core.jobs.stop());
      await core.jobs.start();
    },
  };
}

function repeat(milliseconds: number, work: () => Promise<unknown>, log: Logger): () => void {
  const timer = setInterval(() => {
    work().catch((error: unknown) => log.error({ error: String(error) }, 'housekeeping failed'));
  }, milliseconds);
  timer.unref();
  return () => clearInterval(timer);
}

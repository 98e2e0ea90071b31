import type { Resource } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import type { Config } from './config.ts';
import type { Bus } from './platform/bus/bus.ts';
import type { Vault } from './platform/crypto/vault.ts';
import type { Db } from './platform/db/database.ts';
import type { JobDefinition } from './platform/jobs/definition.ts';
import type { Jobs } from './platform/jobs/jobs.ts';
import type { Logger } from './platform/log.ts';
import type { Recordings } from './platform/storage/recordings.ts';
import type { Engines, ResourceEngine } from './resources/engines.ts';
import type { ResourceHooks, ResourceServices } from './resources/hooks.ts';

/** What the program gives to every module. It contains no business rules. */
export interface Core {
  readonly config: Config;
  readonly log: Logger;
  readonly db: Db;
  readonly pool: pg.Pool;
  readonly bus: Bus;
  readonly vault: Vault;
  /** Queues background work; it begins to run when every module has started. */
  readonly jobs: Jobs;
  readonly recordings: Recordings;
  /** The names of the migrations that this start applied. */
  readonly applied: readonly string[];
  /** Aborted when the program begins to stop. */
  readonly stopping: AbortSignal;
}

/** The HTTP application, after the engines of all resources are built. */
export interface Site {
  readonly http: FastifyInstance;
  readonly engines: Engines;
  readonly services: ResourceServices;
}

/** Work that is repeated while the program runs. */
export interface Timer {
  readonly everyMilliseconds: number;
  run(): Promise<unknown>;
}

/** What a module adds to the program. Everything but the service is optional. */
export interface Contribution<Service> {
  /** What modules above this one may use. */
  readonly service: Service;
  /** What is particular to its resources, by resource name. */
  readonly hooks?: Readonly<Record<string, ResourceHooks>>;
  /** Adds its HTTP routes and sockets. */
  readonly routes?: (site: Site) => void | Promise<void>;
  readonly timers?: readonly Timer[];
  /** The kinds of background work that it runs. */
  readonly jobs?: readonly JobDefinition[];
  /** Runs after all routes are there and before the server listens. */
  readonly start?: () => void | Promise<void>;
  /** Accepts nobody new, and waits as long as the operator allows until people have finished; after a signal, before `drain`. */
  readonly leave?: () => void | Promise<void>;
  /** Ends what people have open, while the server still listens. */
  readonly drain?: () => void | Promise<void>;
  /** Runs after the server has stopped listening; modules stop in the reverse of their order. */
  readonly stop?: () => void | Promise<void>;
}

/** What `create` is given. */
export interface ModuleContext {
  readonly core: Core;
  /** The service of a module below this one. @throws Error when that module comes later in the list */
  use<Service>(module: Module<Service>): Service;
  /** Reads and writes a resource; its engine exists after all modules are created. @throws Error before */
  engine(resource: Resource): ResourceEngine;
}

/** One feature of the product, or another part that the program starts and stops. */
export interface Module<Service = unknown> {
  readonly name: string;
  /** The tables that only this module writes. Others may read them. */
  readonly tables: readonly string[];
  create(context: ModuleContext): Contribution<Service> | Promise<Contribution<Service>>;
}

/** Declares a module. The type of its service follows from `create`. */
export function defineModule<Service>(module: Module<Service>): Module<Service> {
  return module;
}

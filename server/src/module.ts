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
import type { Attention, AttentionSources } from './resources/attention.ts';
import type { Engines, ResourceEngine } from './resources/engines.ts';
import type { ResourceHooks, ResourceServices } from './resources/hooks.ts';

/** Services for all modules, without business rules. */
export interface Core {
  readonly config: Config;
  readonly log: Logger;
  readonly db: Db;
  /**
   * For reads that may be some seconds old, never for decisions: a standby, if the operator names
   * one and it is current enough; otherwise `db`.
   */
  readonly replica: Db;
  /** Returns false while the primary serves the reads of `replica`; undefined without a standby. */
  readonly isReplicaUsed: () => boolean | undefined;
  readonly pool: pg.Pool;
  readonly bus: Bus;
  readonly vault: Vault;
  /** Queues background jobs; they start when all modules have started. */
  readonly jobs: Jobs;
  readonly recordings: Recordings;
  /** Rows of the features that expire; the features add theirs when they are created. */
  readonly expiries: readonly Expiry[];
  /** Items of *Needs attention*; the features add theirs when they are created. */
  readonly attention: AttentionSources;
  /** Features that the installation switched off. */
  readonly off: readonly Module[];
  /** Migrations that this start applied. */
  readonly applied: readonly string[];
  /** Aborted when the program begins to stop. */
  readonly stopping: AbortSignal;
  /** True for a command of the operator, which may run next to the server of its folder. */
  readonly isCommand?: boolean;
}

/** The HTTP application, with the engines of all resources. */
export interface Site {
  readonly http: FastifyInstance;
  readonly engines: Engines;
  readonly services: ResourceServices;
}

/** Work repeated while the program runs. */
export interface Timer {
  readonly everyMilliseconds: number;
  run(): Promise<unknown>;
}

/** Rows of a feature that the daily removal of expired data deletes. */
export interface Expiry {
  /** Plural noun for the log of the removal: `alerts`. */
  readonly rows: string;
  /** Sessions, whose period holds, or a log whose minimum period holds, too; it names the rows. */
  readonly like?: 'session' | 'operate_log' | 'login_log';
  /**
   * Deletes rows of this age in days and returns their number. Some rows have another period and
   * ignore the days.
   */
  remove(days: number): Promise<number>;
}

/** The parts that a module adds to the program; only the service is required. */
export interface Contribution<Service> {
  /** Interface for the modules above this one. */
  readonly service: Service;
  /** Hooks of its resources, by resource name. */
  readonly hooks?: Readonly<Record<string, ResourceHooks>>;
  readonly routes?: (site: Site) => void | Promise<void>;
  readonly timers?: readonly Timer[];
  readonly jobs?: readonly JobDefinition[];
  readonly expiry?: Expiry;
  readonly attention?: Attention;
  /** Runs after all routes are added and before the server listens. */
  readonly start?: () => void | Promise<void>;
  /**
   * After a signal, before `drain`: rejects new users and waits for current ones, as long as the
   * operator allows.
   */
  readonly leave?: () => void | Promise<void>;
  /**
   * After processes of an upgrade have taken over: rejects new connections, and settles when users
   * of the open ones have left.
   */
  readonly handOver?: () => void | Promise<void>;
  /** Ends open sessions while the server still listens. */
  readonly drain?: () => void | Promise<void>;
  /** Runs after the server stopped listening; modules stop in reverse order. */
  readonly stop?: () => void | Promise<void>;
}

export interface ModuleContext {
  readonly core: Core;
  /** Returns the service of an earlier module. @throws Error for a later module */
  use<Service>(module: Module<Service>): Service;
  /** Returns the engine of a resource. @throws Error before all modules are created */
  engine(resource: Resource): ResourceEngine;
}

/** The parts of the program for the end of a feature. */
export interface Suspending extends Pick<ModuleContext, 'engine'> {
  readonly db: Db;
}

/** A feature of the product, or another part with start and stop. */
export interface Module<Service = unknown> {
  readonly name: string;
  /** Tables that only this module writes; others may read them. */
  readonly tables: readonly string[];
  /** Counts the stored rules that stay in force, and the reviews that wait, while it is off. */
  readonly countRules?: (db: Db) => Promise<number>;
  /**
   * Runs at each start without the feature, before the server listens: ends access that only the
   * feature can control.
   */
  readonly suspend?: (given: Suspending) => Promise<void>;
  /**
   * Drops rows of a restored backup on which the installation may have acted since. Runs for
   * features that are off, too. Returns the number of events among them.
   */
  readonly dropAfterRestore?: (client: Pick<pg.ClientBase, 'query'>) => Promise<number>;
  create(context: ModuleContext): Contribution<Service> | Promise<Contribution<Service>>;
}

/** Declares a module; infers the type of its service from `create`. */
export function defineModule<Service>(module: Module<Service>): Module<Service> {
  return module;
}

import type {
  InterventionAction,
  LocalText,
  ParameterName,
  Problem,
  ReadableName,
  Resource,
  StoredRowOf,
  ValuesOf,
} from '@sallyport/contract';
import type { Actor, Caller } from '../platform/actor.ts';
import type { Vault } from '../platform/crypto/vault.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import type { Sql } from '../platform/db/sql.ts';
import type { Gate } from '../platform/gate.ts';
import type { KeptObject } from './deleted/kept.ts';

/** A row from the database, under the wire's field names. */
export type StoredRow = Record<string, unknown>;
export type Values = Record<string, unknown>;

/** The context of a read. */
export interface Reading {
  readonly caller: Caller;
  readonly db: Db | Tx;
  /** The write that returns these rows; undefined for a plain read. */
  readonly operation: Operation | undefined;
  /** True if the rows become lines of a file. */
  readonly forFile: boolean;
}

/**
 * Behavior particular to one resource; all members are optional. Hooks run after the access check
 * and within the organization's scope.
 */
export interface ResourceHooks<R extends Resource<never> | Resource = Resource> {
  /** Expressions of computed fields, over alias `t`. */
  readonly columns?: { readonly [K in ReadableName<R>]?: (caller: Caller) => Sql };
  /** Additional condition over `t` that limits the visible rows, independent of the request. */
  visible?(caller: Caller): Sql | undefined;
  /**
   * Replaces `visible` for lists with certain parameters; undefined for other lists. May throw to
   * reject.
   */
  visibleInList?(caller: Caller, query: URLSearchParams): Sql | undefined;
  /** A query of the number of all rows in a caller's lists, faster than counting them. */
  countAll?(caller: Caller): Sql;
  /** Fields that may link to rows outside the current organization. */
  readonly wholeLinks?: readonly ReadableName<R>[];
  /** Rejects links to existing objects, by id. Called for bodies, batches, files and pairs. */
  refuseLinks?(
    field: string,
    ids: readonly string[],
    operation: Operation,
  ): Promise<ReadonlyMap<string, Problem>>;
  /**
   * Read-only text fields whose columns have ids. Compared as texts, their filters would not use an
   * index.
   */
  readonly ids?: readonly ReadableName<R>[];
  /** Conditions of the declared list parameters. May throw Invalid. */
  readonly filters?: {
    readonly [K in ParameterName<R>]: (
      value: string,
      caller: Caller,
      query: URLSearchParams,
    ) => Sql | undefined;
  };
  /**
   * Condition over `t` that the row contains the words (lower case); replaces the search in the
   * row's own texts.
   */
  readonly search?: (words: readonly string[]) => Sql;
  /**
   * Finds rows by text outside of the database. These rows pass the search and the listed filters.
   */
  readonly elsewhere?: {
    readonly filters: readonly string[];
    find(query: URLSearchParams, caller: Caller): Promise<readonly string[]>;
  };
  /** Fills computed fields that are not SQL, for one page of rows. */
  present?(rows: StoredRow[], reading: Reading): Promise<void> | void;
  /** Transforms a secret for storage, instead of sealing it. */
  readonly storeSecret?: Readonly<Record<string, (value: string) => Promise<string> | string>>;
  /** Loads the data that the rules need, once per write, and keeps it on the operation. */
  prepare?(values: readonly ValuesOf<R>[], operation: Operation): Promise<void> | void;
  /**
   * Checks rules across fields and derives values: may change `values` or throw Invalid. `previous`
   * is the row before an update. `body` is the input, with members that the declaration does not
   * store.
   */
  beforeSave?(
    values: ValuesOf<R>,
    previous: StoredRowOf<R> | undefined,
    operation: Operation,
    body: unknown,
  ): Promise<void> | void;
  /** Replaces the plain insert; returns the id. */
  insert?(values: ValuesOf<R>, operation: Operation): Promise<string>;
  /** Side effects in the same transaction, once for all saved rows. */
  afterSave?(saved: readonly Saved<R>[], operation: Operation): Promise<void> | void;
  /** May throw to reject the deletion. */
  beforeDelete?(row: StoredRowOf<R>, operation: Operation): Promise<void> | void;
  /** Replaces the plain delete. */
  remove?(row: StoredRowOf<R>, operation: Operation): Promise<void>;
  /** Rows of other tables that are deleted with a row, and restored with it. */
  readonly following?: readonly Following[];
  /** References that a restored object may lose. Without any other it is not restored. */
  readonly mayLose?: readonly ReadableName<R>[];
  /**
   * Changes the values with which a deleted object is created again. Throws a refusal that is about
   * no field.
   */
  beforeRestore?(body: Values, kept: KeptObject, caller: Caller): void;
  /** Returns the name of a row in the operate log. */
  describe?(row: StoredRow): string;
  /** Names of rows in files. Default: the label field. */
  readonly inFiles?: FileNames;
}

/** A table whose rows follow the rows of a resource. */
export interface Following {
  readonly table: string;
  /** The column with the id of the row. */
  readonly column: string;
  /** Columns with sealed values. */
  readonly sealed?: readonly string[];
  /** The column whose value ends the context of sealed values. Default: `id`. */
  readonly key?: string;
  /** Names rows that did not come back. */
  readonly title?: LocalText;
  /**
   * Returns false for a row that the caller may not give back, or that gives rights of other
   * objects without `keepsGrants`. Default: true.
   */
  mayRestore?(
    row: Readonly<Record<string, unknown>>,
    by: { readonly actor: Actor; readonly keepsGrants: boolean },
  ): boolean;
  /** True if the object would allow more without a row; then it is not restored. */
  readonly isRequired?: true;
}

/** Names of the rows of a resource in files. */
export interface FileNames {
  /** The name of a row, over `t`: unique, or else the id. */
  readonly name: Sql;
  /** Normalizes user input to the form of `name`. */
  read?(text: string): string;
  /** A fast condition that preselects rows with these names, if `name` is slow. */
  among?(names: readonly string[]): Sql;
  /**
   * Creates the missing object with this name if the caller requests it; returns its id. May throw
   * Invalid.
   */
  create?(name: string, operation: Operation): Promise<string | undefined>;
}

/** Types hooks by their resource: a misspelled field, parameter or value does not compile. */
export function hooksFor<R extends Resource<never> | Resource>(
  _resource: R,
  hooks: ResourceHooks<R>,
): ResourceHooks {
  return hooks;
}

export interface Saved<R extends Resource<never> | Resource = Resource> {
  readonly id: string;
  readonly values: ValuesOf<R>;
  /** The row before an update; undefined for a new row. */
  readonly previous: StoredRowOf<R> | undefined;
}

/** Services that the engine needs. */
export interface ResourceServices {
  readonly db: Db;
  /** For reads that may be some seconds old. Default: `db`. */
  readonly replica?: Db;
  readonly vault: Vault;
  /**
   * Limits reads that hold a connection while a client reads slowly: they must not exhaust the
   * pool.
   */
  readonly longReads: Gate;
  /** Writes the operate log in the transaction of the change. */
  readonly audit: AuditWriter;
  /** Days for which deleted objects are kept; 0 for none. */
  keepDeletedDays?(): number;
  organizationName(id: string): Promise<string>;
  /** Returns the ids that present or former objects have, by the operate log. */
  usedIds(ids: readonly string[], tx: Tx): Promise<ReadonlySet<string>>;
  /** Called first in every write transaction: takes the locks that precede row locks. */
  lockGrants(resource: Resource, tx: Tx): Promise<void>;
}

export interface AuditEntry {
  readonly action:
    | 'create'
    | 'update'
    | 'delete'
    | 'restore'
    | 'terminate'
    | 'accept'
    | 'refuse'
    | 'view'
    | InterventionAction;
  /** Kind of the resource, such as `asset`. */
  readonly resourceType: string;
  readonly resource: string;
  readonly resourceId: string;
  /** Values before and after, by field; secrets are masked. */
  readonly changes?: Readonly<Record<string, readonly [unknown, unknown]>>;
}

/**
 * The author of a change: a user, or without a username a part of the program, such as a directory.
 */
export type AuditActor = Pick<Actor, 'name' | 'username' | 'organization' | 'remoteAddress'>;

export type AuditWriter = (
  tx: Db | Tx,
  context: { readonly actor: AuditActor; readonly requestedBy?: AuditActor },
  ...entries: AuditEntry[]
) => Promise<void>;

export interface MountedResource {
  readonly resource: Resource;
  readonly hooks: ResourceHooks;
}

/** The rows of one resource, with the other resources that its fields point to. */
export interface ResourceSource {
  readonly mounted: MountedResource;
  readonly registry: Registry;
  readonly services: ResourceServices;
}

/** Mounted resources by name. A reference field may point to any of them. */
export type Registry = ReadonlyMap<string, MountedResource>;

/** A value kept on an operation, created at its first use. */
interface Kept<T> {
  readonly make: (operation: Operation) => T;
}

/** Declares a value that hooks keep on their operation; the constant is its key. */
export function kept<T>(make: (operation: Operation) => T): Kept<T> {
  return { make };
}

interface OperationOptions {
  readonly caller: Caller;
  readonly tx: Tx;
  /** Run everything, return the result, then roll back. */
  readonly dryRun: boolean;
  /** Query parameters next to the bodies, such as the node that a form was opened from. */
  readonly query: URLSearchParams;
  /** The deleted object that the write creates again. */
  readonly restored?: RestoredRow | undefined;
}

/** The id of a deleted object, and the columns that no body sets. */
export interface RestoredRow {
  readonly id: string;
  readonly row: StoredRow;
}

/** One write: its caller, its transaction, and values that hooks keep between steps. */
export class Operation {
  readonly caller: Caller;
  readonly tx: Tx;
  readonly dryRun: boolean;
  readonly query: URLSearchParams;
  readonly restored: RestoredRow | undefined;
  readonly #kept = new Map<unknown, unknown>();

  constructor({ caller, tx, dryRun, query, restored }: OperationOptions) {
    this.caller = caller;
    this.tx = tx;
    this.dryRun = dryRun;
    this.query = query;
    this.restored = restored;
  }

  /** Returns the kept value; always the same one for an operation. */
  get<T>(key: Kept<T>): T {
    if (!this.#kept.has(key)) this.#kept.set(key, key.make(this));
    return this.#kept.get(key) as T;
  }
}

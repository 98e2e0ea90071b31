import type {
  ParameterName,
  Problem,
  ReadableName,
  Resource,
  StoredRowOf,
  ValuesOf,
} from '@sallyport/contract';
import type { RawBuilder } from 'kysely';
import type { Actor, Caller } from '../platform/actor.ts';
import type { Vault } from '../platform/crypto/vault.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import type { Gate } from '../platform/gate.ts';
import type { Operation } from './operation.ts';

/** One row as the database gives it, under the wire's field names. */
export type StoredRow = Record<string, unknown>;
/** Parsed values of a body, by field name. */
export type Values = Record<string, unknown>;

/** A condition or an expression; it is put together by code, values always travel as parameters. */
export type Sql = RawBuilder<unknown>;

/** What rows are read for. */
export interface Reading {
  readonly caller: Caller;
  readonly db: Db | Tx;
  /** The write that answers with these rows; undefined when they are only read. */
  readonly operation: Operation | undefined;
  /** Whether the rows become lines of a file. */
  readonly forFile: boolean;
}

/**
 * What is particular to a resource, typed by its declaration. Everything here is optional: a plain resource has none of it.
 * All of it runs after the access check and inside the organization's scope.
 */
export interface ResourceHooks<R extends Resource<never> | Resource = Resource> {
  /** Expressions for computed fields, over the row's table alias `t`. */
  readonly columns?: { readonly [K in ReadableName<R>]?: (caller: Caller) => Sql };
  /** A further condition on what a caller may see at all, over `t`; set outside of anything the caller sends. */
  visible?(caller: Caller): Sql | undefined;
  /** What a list shows instead of `visible` when it is asked for in a particular way; undefined for lists as usual. May throw to refuse. */
  visibleInList?(caller: Caller, query: URLSearchParams): Sql | undefined;
  /** Fields that link to all rows of their target, also to those the current organization does not show. */
  readonly wholeLinks?: readonly ReadableName<R>[];
  /** What keeps existing objects from being linked by a field; by their ids. Asked wherever links are written: bodies, batches, files, pairs. */
  refuseLinks?(
    field: string,
    ids: readonly string[],
    operation: Operation,
  ): Promise<ReadonlyMap<string, Problem>>;
  /** The conditions of the declared list parameters. May throw Invalid for a value that makes no sense. */
  readonly filters?: {
    readonly [K in ParameterName<R>]: (
      value: string,
      caller: Caller,
      query: URLSearchParams,
    ) => Sql | undefined;
  };
  /** The condition that the words of a search are found, over `t`, where they are not only in the row's own texts. They are in lower case. */
  readonly search?: (words: readonly string[]) => Sql;
  /** Looks for rows by texts that the database does not have: those that are found count as if the search and these filters held for them. */
  readonly elsewhere?: {
    readonly filters: readonly string[];
    find(query: URLSearchParams, caller: Caller): Promise<readonly string[]>;
  };
  /** Fills computed fields that are no SQL, for a page of rows at once. */
  present?(rows: StoredRow[], reading: Reading): Promise<void> | void;
  /** What is stored of a secret instead of sealing it. */
  readonly storeSecret?: Readonly<Record<string, (value: string) => Promise<string> | string>>;
  /** Reads once what the rules of all drafts of a write need; keeps it on the operation. */
  prepare?(values: readonly ValuesOf<R>[], operation: Operation): Promise<void> | void;
  /**
   * Rules across fields, and derived values: may change `values` or throw Invalid. `previous` is the row before an update. `body` is what was sent, with the
   * members that the declaration does not store.
   */
  beforeSave?(
    values: ValuesOf<R>,
    previous: StoredRowOf<R> | undefined,
    operation: Operation,
    body: unknown,
  ): Promise<void> | void;
  /** Creates the row instead of a plain insert; returns its id. */
  insert?(values: ValuesOf<R>, operation: Operation): Promise<string>;
  /** Side effects in the same transaction, once for everything that was saved in it. */
  afterSave?(saved: readonly Saved<R>[], operation: Operation): Promise<void> | void;
  /** May throw to refuse. */
  beforeDelete?(row: StoredRowOf<R>, operation: Operation): Promise<void> | void;
  /** Deletes instead of a plain delete: for rows that go in another way. */
  remove?(row: StoredRowOf<R>, operation: Operation): Promise<void>;
  /** How the operate log names a row. */
  describe?(row: StoredRow): string;
  /** How files name rows; absent: by their label field. */
  readonly inFiles?: FileNames;
}

/** How files name the rows of a resource where other rows link to them. */
export interface FileNames {
  /** What a row is called, over `t`: a name that finds it again, or its id. */
  readonly name: Sql;
  /** What a user wrote, as `name` writes it. */
  read?(text: string): string;
  /** A quick condition on rows that may have these names, where `name` takes long. */
  among?(names: readonly string[]): Sql;
  /** Makes what has this name and is not there, where the caller asks for that; returns its id. May throw Invalid. */
  create?(name: string, operation: Operation): Promise<string | undefined>;
}

/** Types hooks by the resource that they belong to: a misspelt field, parameter or value does not compile. */
export function hooksFor<R extends Resource<never> | Resource>(
  _resource: R,
  hooks: ResourceHooks<R>,
): ResourceHooks {
  return hooks;
}

/** One row that was just written. */
export interface Saved<R extends Resource<never> | Resource = Resource> {
  readonly id: string;
  readonly values: ValuesOf<R>;
  /** The row before an update; undefined for a new one. */
  readonly previous: StoredRowOf<R> | undefined;
}

/** What the engine needs of the program. */
export interface ResourceServices {
  readonly db: Db;
  readonly vault: Vault;
  /** Limits reads that hold a connection for as long as a client takes to read, so that they cannot exhaust the pool. */
  readonly longReads: Gate;
  /** Writes the operate log in the transaction of the change. */
  readonly audit: AuditWriter;
  organizationName(id: string): Promise<string>;
  /** Which of these ids objects have or had, by the operate log. */
  usedIds(ids: readonly string[], tx: Tx): Promise<ReadonlySet<string>>;
  /** Called first in every writing transaction: takes the locks that come before those of rows. */
  lockGrants(resource: Resource, tx: Tx): Promise<void>;
}

export interface AuditEntry {
  readonly action: 'create' | 'update' | 'delete' | 'terminate' | 'accept' | 'refuse' | 'view';
  /** The name of the resource's kind, such as `asset`. */
  readonly resourceType: string;
  readonly resource: string;
  readonly resourceId: string;
  /** Before and after by field; secrets masked. */
  readonly changes?: Readonly<Record<string, readonly [unknown, unknown]>>;
}

/** Who made a change: a user, or, without a username, a part of the program such as a directory. */
export type AuditActor = Pick<Actor, 'name' | 'username' | 'organization' | 'remoteAddress'>;

export type AuditWriter = (
  tx: Db | Tx,
  context: { readonly actor: AuditActor; readonly requestedBy?: AuditActor },
  ...entries: AuditEntry[]
) => Promise<void>;

/** A mounted resource with its hooks. */
export interface MountedResource {
  readonly resource: Resource;
  readonly hooks: ResourceHooks;
}

/** Finds mounted resources by name: a reference field may point at any of them. */
export type Registry = ReadonlyMap<string, MountedResource>;

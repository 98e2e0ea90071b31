import type { Problem, Resource } from '@sallyport/contract';
import type { RawBuilder } from 'kysely';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { Gate } from '../../platform/gate.ts';
import type { Actor } from '../actor.ts';
import type { Context } from '../context.ts';
import type { ProgressBoard } from './progress.ts';

/** One row as the database gives it, under the wire's field names. */
export type StoredRow = Record<string, unknown>;
/** Parsed values of a body, by field name. */
export type Values = Record<string, unknown>;

/** A condition or an expression; it is put together by code, values always travel as parameters. */
export type Sql = RawBuilder<unknown>;

/**
 * What is particular to a resource. Everything here is optional: a plain resource has none of it.
 * All of it runs after the access check and inside the organization's scope.
 */
export interface ResourceHooks {
  /** Expressions for computed fields, over the row's table alias `t`. */
  readonly columns?: Readonly<Record<string, (context: Context) => Sql>>;
  /** A further condition on what a caller may see at all, over `t`; set outside of anything the caller sends. */
  readonly visible?: (context: Context) => Sql | undefined;
  /** What a list shows in the place of `visible` when it is asked for in a particular way; undefined for lists as usual. May throw to refuse. */
  readonly visibleInList?: (context: Context) => Sql | undefined;
  /** Fields that link to all rows of their target, also to those the current organization does not show. */
  readonly wholeLinks?: readonly string[];
  /** What keeps objects, that are there, from being linked by a field; by their ids. Asked wherever links are written: bodies, batches, files, pairs. */
  readonly refuseLinks?: (field: string, ids: readonly string[], tx: Tx) => Promise<ReadonlyMap<string, Problem>>;
  /** List parameters beyond the declared filters. May throw Invalid for a value that makes no sense. */
  readonly filters?: Readonly<Record<string, (value: string, context: Context) => Sql | undefined>>;
  /** Fills computed fields that are no SQL, for a page of rows at once. */
  readonly present?: (rows: StoredRow[], context: Context, db: Db) => Promise<void> | void;
  /** What is stored of a secret instead of sealing it. */
  readonly storeSecret?: Readonly<Record<string, (value: string) => Promise<string> | string>>;
  /** Rules across fields, and derived values: may change `values` or throw Invalid. `previous` is the row before an update. */
  readonly beforeSave?: (values: Values, previous: StoredRow | undefined, context: Context, tx: Tx) => Promise<void> | void;
  /** Creates the row instead of a plain insert; returns its id. */
  readonly insert?: (values: Values, context: Context, tx: Tx) => Promise<string>;
  /** Side effects in the same transaction, once for everything that was saved in it. */
  readonly afterSave?: (saved: readonly Saved[], context: Context, tx: Tx) => Promise<void> | void;
  /** May throw to refuse. */
  readonly beforeDelete?: (row: StoredRow, context: Context, tx: Tx) => Promise<void> | void;
  /** Deletes instead of a plain delete: for rows that go in another way. */
  readonly remove?: (row: StoredRow, context: Context, tx: Tx) => Promise<void>;
  /** How the operate log names a row. */
  readonly describe?: (row: StoredRow) => string;
}

/** One row that was just written. */
export interface Saved {
  readonly id: string;
  readonly values: Values;
  /** The row before an update; undefined for a new one. */
  readonly previous: StoredRow | undefined;
}

/** What the engine needs of the program. */
export interface ResourceServices {
  readonly db: Db;
  readonly vault: Vault;
  /** Whoever holds a connection for as long as a client takes to read passes here, so that some are left for everybody else. */
  readonly longReads: Gate;
  /** Writes the operate log in the transaction of the change. */
  readonly audit: AuditWriter;
  organizationName(id: string): Promise<string>;
  /** Called first in every writing transaction: takes the locks that come before those of rows. */
  takeTurn(resource: Resource, tx: Tx): Promise<void>;
  /** Where the rows of a batch are counted while they are written. */
  readonly progress: ProgressBoard;
}

export interface AuditEntry {
  readonly action: 'create' | 'update' | 'delete' | 'terminate' | 'accept' | 'refuse';
  /** The name of the resource's kind, such as `asset`. */
  readonly resourceType: string;
  readonly resource: string;
  readonly resourceId: string;
  /** Before and after by field; secrets masked. */
  readonly changes?: Readonly<Record<string, readonly [unknown, unknown]>>;
}

/** Whose doing an entry is: somebody's, or, without a username, that of a service such as a directory. */
export type Author = Pick<Actor, 'name' | 'username' | 'organization' | 'remoteAddress'>;

export type AuditWriter = (tx: Db | Tx, context: { readonly actor: Author }, ...entries: AuditEntry[]) => Promise<void>;

/** A resource that is mounted, with what is particular to it. */
export interface MountedResource {
  readonly resource: Resource;
  readonly hooks: ResourceHooks;
}

/** Finds mounted resources by name: a reference field may point at any of them. */
export type Registry = ReadonlyMap<string, MountedResource>;

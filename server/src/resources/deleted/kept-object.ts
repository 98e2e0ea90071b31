import { type Resource, writableFields } from '@sallyport/contract';
import type { Vault } from '../../platform/crypto/vault.ts';
import { Conflict } from '../../platform/errors.ts';
import type { MountedResource, Registry } from '../hooks.ts';
import { linkOf } from '../read/columns.ts';
import type { JsonRow, KeptObject, KeptOwner } from './kept.ts';

/** A link field of another resource that names objects of this one. */
export interface IncomingLink {
  readonly owner: MountedResource;
  readonly field: string;
  readonly table: string;
  /** The column of the owner's id, and the column of ours. */
  readonly own: string;
  readonly other: string;
}

/** Generated columns of all tables; the database fills them. */
export const GENERATED = ['search_text'];

export const contextOf = (id: string) => `deleted_object.document.${id}`;

/**
 * Returns true if a link field of a resource comes back through its body. An account belongs to the
 * installation, but its body has the groups of one organization only.
 */
export const isOwnLink = (resource: Resource): boolean => resource.scope === 'org';

/** Returns the writable link fields of all resources that name objects of this resource. */
export function incomingLinks(resource: Resource, registry: Registry): IncomingLink[] {
  const own = new Set(
    isOwnLink(resource)
      ? writableFields(resource).flatMap(([name, { kind }]) =>
          kind === 'many' ? [linkOf(resource, name, registry).table] : [],
        )
      : [],
  );
  return [...registry.values()].flatMap((owner) =>
    writableFields(owner.resource).flatMap(([field, declared]) => {
      if (declared.kind !== 'many' || declared.target !== resource.name) return [];
      const link = linkOf(owner.resource, field, registry);
      if (link.reverse || own.has(link.table)) return [];
      return [{ owner, field, table: link.table, own: link.own, other: link.other }];
    }),
  );
}

/** Replaces sealed columns by their plain text, or the reverse. Empty columns stay. */
export function transformSealed(
  row: JsonRow,
  columns: readonly string[],
  transform: (value: string, column: string) => string,
): JsonRow {
  const changed = columns.flatMap((column): [string, string][] => {
    const value = row[column];
    return typeof value === 'string' && value !== '' ? [[column, transform(value, column)]] : [];
  });
  return { ...row, ...Object.fromEntries(changed) };
}

/** A row of `deleted_object`. */
interface KeptRow extends KeptOwner {
  readonly id: string;
  readonly document: string;
}

/** @throws Conflict if the document does not open, or belongs to another organization or kind */
export function openKept(vault: Vault, { id, document, ...owner }: KeptRow): KeptObject {
  const kept = read(vault, id, document);
  const { organization, resource } = kept?.of ?? owner;
  if (!kept || organization !== owner.organization || resource !== owner.resource)
    throw new Conflict('restore_unreadable');
  return kept;
}

function read(vault: Vault, id: string, document: string): KeptObject | undefined {
  try {
    return JSON.parse(vault.open(document, contextOf(id)));
  } catch {
    return undefined;
  }
}

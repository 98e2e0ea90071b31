import { computed, integer, reference } from './field.ts';
import type { Field } from './field-kinds.ts';
import { defineResource, type Resource } from './resource.ts';
import type { LocalText } from './text.ts';

export interface RelationEnd {
  /** The field of a pair, and the list parameter: `user`, `assetpermission`. */
  readonly key: string;
  readonly resource: Resource;
  /** Format of the object's name. Default: its label. */
  readonly display?: 'account' | 'full_value';
}

/**
 * The links of one `many` field as objects: pairs that can be listed, added and removed one by one.
 */
export interface Relation {
  /** Below `/api/v1/`, without slashes at the ends. */
  readonly path: string;
  /** The end with the field. Changing a pair changes this object and needs its permission. */
  readonly owner: RelationEnd;
  readonly field: string;
  readonly other: RelationEnd;
  /** The wire form of a pair. */
  readonly pair: Resource;
}

interface Definition extends Omit<Relation, 'pair'> {
  readonly title: LocalText;
}

/** Declares the pairs of a `many` field; the server mounts list, filters, creation and removal. */
export function defineRelation({ title, ...definition }: Definition): Relation {
  const { owner, field, other, path } = definition;
  if (owner.resource.fields[field]?.kind !== 'many')
    throw new Error(`${owner.resource.name}.${field} links to nothing`);
  const fields: Record<string, Field> = {
    id: integer({ label: { en: 'ID', zh: 'ID' }, readOnly: true, filter: true, order: true }),
  };
  for (const { key, resource } of [other, owner]) {
    fields[key] = reference({ label: resource.title, to: resource.name, filter: true });
    fields[`${key}_display`] = computed.string({ label: resource.title });
  }
  const { access, area } = owner.resource;
  const { read = 0, update = 0 } = access;
  const pair = defineResource({
    name: `${owner.resource.name}_${field}`,
    path,
    scope: 'global',
    title,
    access: { read, create: update, delete: update },
    ...(area && { area }),
    labelField: 'id',
    audited: false,
    fields,
  });
  return { ...definition, pair };
}

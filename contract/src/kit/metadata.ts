import type { FieldMetadata } from '../api/api-kit.ts';
import { allows } from '../roles.ts';
import { type Choice, choicesOf, type Field, membersOf } from './field-kinds.ts';
import type { Fields } from './resource.ts';

type Limits = Pick<FieldMetadata, 'min_length' | 'max_length' | 'min_value' | 'max_value'>;

/** Returns the limits of a field as OPTIONS names them. */
export function metadataLimits(field: Field): Limits {
  switch (field.kind) {
    case 'text':
      return {
        ...(field.min !== undefined && { min_length: field.min }),
        ...(field.max !== undefined && { max_length: field.max }),
      };
    case 'secret':
      return { max_length: field.max };
    case 'integer':
      return {
        ...(field.min !== undefined && { min_value: field.min }),
        ...(field.max !== undefined && { max_value: field.max }),
      };
    default:
      return {};
  }
}

/** Returns the choices of a field that a form offers to a caller with these permission bits. */
export const choicesFor = (field: Field, permissions: number): readonly Choice[] | undefined =>
  choicesOf(field)?.filter(({ needs }) => needs === undefined || allows(permissions, needs));

type Described = Readonly<Record<string, FieldMetadata>>;

const LIMITS = ['min_length', 'max_length', 'min_value', 'max_value'] as const;

function fieldDiffers(field: Field, described: FieldMetadata, permissions: number): boolean {
  const limits = metadataLimits(field);
  const choices = choicesFor(field, permissions);
  return (
    described.required !== field.required ||
    LIMITS.some((limit) => described[limit] !== limits[limit]) ||
    (choices !== undefined && !sameValues(choices, described.choices ?? [])) ||
    (field.kind === 'object' &&
      fieldsDiffer(membersOf(field), described.children ?? {}, permissions))
  );
}

const sameValues = (
  one: readonly { readonly value: unknown }[],
  other: readonly { readonly value: unknown }[],
) => one.length === other.length && one.every(({ value }, index) => value === other[index]?.value);

/**
 * Returns true if a form of these fields differs from the server's description: in the names of
 * writable fields, or in the choices, the limits or the required mark of one of them.
 */
export function fieldsDiffer(fields: Fields, described: Described, permissions: number): boolean {
  const own = Object.entries(fields).filter(([, { mode }]) => mode !== 'readonly');
  const writable = Object.values(described).filter(({ read_only: readOnly }) => !readOnly);
  return (
    own.length !== writable.length ||
    own.some(([name, field]) => {
      const there = described[name];
      return !there || there.read_only || fieldDiffers(field, there, permissions);
    })
  );
}

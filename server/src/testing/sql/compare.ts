import type { Checker, Type } from 'typescript/unstable/sync';
import { SymbolFlags, TypeFlags } from 'typescript/unstable/sync';
import type { ColumnKind } from './column-kinds.ts';

/** A column with the kind of its values. */
export interface KnownColumn {
  readonly name: string;
  readonly kind: ColumnKind;
  /** True if the table of the column allows null and the statement does not exclude it. */
  readonly isNullable: boolean;
}

/** A difference between the promised type of a row and its columns. */
export interface Difference {
  readonly column: string;
  readonly reason: string;
}

const JSON_KINDS = new Set(['string', 'number', 'boolean', 'object']);

/** Returns the promised columns; undefined if the type names none, as `Record<string, unknown>`. */
export function promisedColumns(checker: Checker, row: Type): readonly string[] | undefined {
  const names = checker.getPropertiesOfType(row).map(({ name }) => name);
  return names.length === 0 ? undefined : names;
}

/** Compares a promised type of a row with the columns of the statement. */
export function compareRow(
  checker: Checker,
  row: Type,
  columns: readonly KnownColumn[],
): readonly Difference[] {
  // As in `pg`, the last of several columns with one name remains.
  const byName = new Map(columns.map((column) => [column.name, column]));
  return checker.getPropertiesOfType(row).flatMap((property) => {
    const { name } = property;
    const type = checker.getTypeOfSymbol(property);
    const column = byName.get(name);
    if (!type) return [];
    if (!column)
      return property.flags & SymbolFlags.Optional || canBeUndefined(type)
        ? []
        : [{ column: name, reason: 'is promised, but the statement does not return it' }];
    const promise = checker.typeToString(type);
    if (!accepts(checker, type, column.kind))
      return [{ column: name, reason: `is promised as ${promise}, but arrives as ${column.kind}` }];
    return column.isNullable && !accepts(checker, type, 'null')
      ? [{ column: name, reason: `is promised as ${promise}, but can be null` }]
      : [];
  });
}

const isNothing = (flags: TypeFlags) => (flags & (TypeFlags.Null | TypeFlags.Undefined)) !== 0;

const canBeUndefined = (type: Type): boolean =>
  type.isUnionType() && type.getTypes().some(({ flags }) => (flags & TypeFlags.Undefined) !== 0);

/** Returns true if a value of this kind can have the type. */
export function accepts(checker: Checker, type: Type, kind: ColumnKind): boolean {
  if (type.flags & (TypeFlags.Any | TypeFlags.Unknown)) return true;
  if (type.isUnionType()) {
    const parts = type.getTypes();
    const values = parts.filter(({ flags }) => !isNothing(flags));
    if (kind === 'null') return values.length < parts.length;
    return values.length === 0 || values.some((part) => accepts(checker, part, kind));
  }
  // A brand is an object that no value has.
  if (type.isIntersectionType())
    return type.getTypes().some((part) => accepts(checker, part, kind));
  if (type.isTypeParameter()) {
    const constraint = checker.getBaseConstraintOfType(type);
    return !constraint || accepts(checker, constraint, kind);
  }
  if (isNothing(type.flags)) return true;
  const [item] =
    checker.isArrayType(type) && type.isTypeReference() ? checker.getTypeArguments(type) : [];
  if (kind === 'json') return item !== undefined || JSON_KINDS.has(kindOfType(type));
  if (kind.endsWith('[]')) return item !== undefined && accepts(checker, item, kind.slice(0, -2));
  return kindOfType(type) === kind;
}

function kindOfType(type: Type): ColumnKind {
  const { flags } = type;
  if (flags & TypeFlags.StringLike) return 'string';
  if (flags & TypeFlags.NumberLike) return 'number';
  if (flags & TypeFlags.BooleanLike) return 'boolean';
  if (flags & TypeFlags.BigIntLike) return 'bigint';
  const name = type.getSymbol()?.name;
  return name === 'Date' || name === 'Buffer' ? name : 'object';
}

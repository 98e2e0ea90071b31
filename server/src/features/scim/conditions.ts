import { type Sql, sql } from '../../platform/db/sql.ts';
import { ScimError } from './errors.ts';
import type { Filter, FilterValue, Operator } from './filter.ts';

/** SQL for an attribute, and how to compare it. `exact` texts are case-sensitive. */
export interface Column {
  readonly kind: 'text' | 'exact' | 'boolean' | 'time';
  readonly value: Sql;
}

/** SQL by attribute name in lower case. Only these attributes can be searched. */
export type Columns = Readonly<Record<string, Column>>;

const refuse = (detail: string): never => {
  throw new ScimError(400, detail, 'invalidFilter');
};

function columnOf(path: string, columns: Columns): Column {
  return (
    (Object.hasOwn(columns, path) ? columns[path] : undefined) ??
    refuse(`${path.slice(0, 100)} cannot be used in a filter.`)
  );
}

/** Converts a filter to an SQL condition. @throws ScimError invalidFilter */
export function conditionOf(filter: Filter, columns: Columns, prefix = ''): Sql {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return sql`(${sql.join(
        filter.parts.map((part) => conditionOf(part, columns, prefix)),
        filter.kind === 'and' ? sql` and ` : sql` or `,
      )})`;
    case 'not':
      return sql`(not coalesce(${conditionOf(filter.part, columns, prefix)}, false))`;
    case 'within':
      return prefix === ''
        ? conditionOf(filter.part, columns, `${filter.path}.`)
        : refuse('A condition within a condition is not possible.');
    case 'present': {
      const { kind, value } = columnOf(prefix + filter.path, columns);
      return kind === 'text' || kind === 'exact'
        ? sql`(coalesce(${value}, '') <> '')`
        : sql`(${value} is not null)`;
    }
    case 'compare':
      return comparison(columnOf(prefix + filter.path, columns), filter.operator, filter.value);
  }
}

function comparison({ kind, value }: Column, operator: Operator, wanted: FilterValue): Sql {
  if (wanted === null) {
    if (operator === 'eq') return sql`(${value} is null)`;
    return operator === 'ne' ? sql`(${value} is not null)` : refuse('null has no order.');
  }
  if (kind === 'boolean') {
    if (typeof wanted !== 'boolean' || (operator !== 'eq' && operator !== 'ne'))
      return refuse('This attribute is true or false.');
    return sql`(${value} = ${operator === 'eq' ? wanted : !wanted})`;
  }
  if (typeof wanted !== 'string' || wanted.includes('\0'))
    return refuse('This attribute is a text.');
  if (kind === 'time') {
    const time = new Date(wanted);
    if (Number.isNaN(time.getTime())) return refuse(`${wanted.slice(0, 50)} is no time.`);
    return ordered(sql`date_trunc('milliseconds', ${value})`, operator, sql`${time}::timestamptz`);
  }
  const [have, want] =
    kind === 'text' ? [sql`lower(${value})`, sql`lower(${wanted})`] : [value, sql`${wanted}::text`];
  switch (operator) {
    case 'co':
      return sql`(position(${want} in ${have}) > 0)`;
    case 'sw':
      return sql`starts_with(${have}, ${want})`;
    case 'ew':
      return sql`(right(${have}, length(${want})) = ${want})`;
    default:
      return ordered(have, operator, want);
  }
}

function ordered(have: Sql, operator: Operator, want: Sql): Sql {
  switch (operator) {
    case 'eq':
      return sql`(${have} = ${want})`;
    case 'ne':
      return sql`(${have} is distinct from ${want})`;
    case 'gt':
      return sql`(${have} > ${want})`;
    case 'ge':
      return sql`(${have} >= ${want})`;
    case 'lt':
      return sql`(${have} < ${want})`;
    case 'le':
      return sql`(${have} <= ${want})`;
    default:
      return refuse('A time is compared with eq, ne, gt, ge, lt or le.');
  }
}

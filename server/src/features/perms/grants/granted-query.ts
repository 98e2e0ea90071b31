import { isUuid, MAX_ITEMS, type Problem } from '@sallyport/contract';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import { Invalid } from '../../../platform/errors.ts';
import { type Paging, readPaging } from '../../../resources/read/page.ts';
import { allOf } from '../../../resources/read/scope.ts';
import { wordsOf } from '../../../resources/read/search.ts';

const ORDERS: Readonly<Record<string, Sql>> = { hostname: sql`a.hostname`, ip: sql`a.ip` };

/** A parsed request for granted assets. */
export interface GrantedQuery extends Paging {
  /** All words must match. */
  readonly terms: readonly string[];
  readonly where: Sql | undefined;
  /** Order as requested, such as `-ip`; `column` and `direction` are its SQL. */
  readonly order: string;
  readonly column: Sql;
  readonly direction: Sql;
}

/** Parses a request; `sortBy` is the order without one in it. @throws Invalid */
export function readQuery(query: URLSearchParams, sortBy: string): GrantedQuery {
  const problems: Record<string, Problem[]> = {};
  const text = (name: string) => (query.getAll(name).at(-1) ?? '').trim().slice(0, 256);
  for (const name of ['search', 'hostname', 'ip', 'comment', 'order'])
    if (text(name).includes('\u0000')) problems[name] = [{ code: 'nul_byte' }];
  const conditions: Sql[] = [];
  for (const name of ['hostname', 'ip', 'comment'])
    if (text(name)) conditions.push(sql`${sql.ref(`a.${name}`)} = ${text(name)}`);
  if (text('id')) {
    if (isUuid(text('id'))) conditions.push(sql`a.id = ${text('id')}`);
    else problems.id = [{ code: 'not_uuid', params: { value: text('id').slice(0, 64) } }];
  }
  const ids = (query.getAll('ids').at(-1) ?? '').split(',').map((id) => id.trim());
  if (ids.some((id) => id !== '')) {
    const wrong = ids.find((id) => !isUuid(id));
    if (wrong !== undefined)
      problems.ids = [{ code: 'not_uuid', params: { value: wrong.slice(0, 64) } }];
    else if (ids.length > MAX_ITEMS)
      problems.ids = [{ code: 'list_too_long', params: { max: MAX_ITEMS } }];
    else conditions.push(sql`a.id = any (${ids}::uuid[])`);
  }
  const orderName = text('order') || sortBy;
  const column = orderName.replace(/^-/, '');
  const order = Object.hasOwn(ORDERS, column) ? ORDERS[column] : undefined;
  if (!order) problems.order = [{ code: 'not_choice', params: { value: orderName.slice(0, 64) } }];
  if (Object.keys(problems).length > 0 || !order) throw new Invalid(problems);
  return {
    terms: wordsOf(query.getAll('search').join(' ')),
    where: conditions.length > 0 ? allOf(conditions) : undefined,
    order: orderName,
    column: order,
    direction: orderName.startsWith('-') ? sql`desc` : sql`asc`,
    ...readPaging(query),
  };
}

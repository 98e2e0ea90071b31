import { createHash } from 'node:crypto';
import type { Db, Result, Statement } from './connection.ts';
import { CONNECTION_LIFETIME } from './database.ts';

/**
 * SQL with values, made by `sql`: a statement, or a part of others. Values are always parameters.
 * `Row` is the type of the rows, which a test compares with the database.
 */
export class Sql<Row = unknown> {
  readonly #texts: readonly string[];
  readonly #values: readonly unknown[];

  constructor(texts: readonly string[], values: readonly unknown[]) {
    this.#texts = texts;
    this.#values = values;
  }

  compile(): Statement {
    const values: unknown[] = [];
    return { text: this.#write(values), values };
  }

  execute(db: Db): Promise<Result<Row>> {
    return db.query<Row>(this.compile());
  }

  /** Returns the text; adds the values of its parameters to `parameters`. */
  #write(parameters: unknown[]): string {
    let text = this.#texts[0] ?? '';
    for (const [index, value] of this.#values.entries()) {
      if (value instanceof Sql) text += value.#write(parameters);
      else text += `$${parameters.push(value)}`;
      text += this.#texts[index + 1];
    }
    return text;
  }
}

const asIs = (text: string): Sql => new Sql([text], []);

/** Quotes each part of a name: `a.id` is `"a"."id"`. */
const name = (path: string): Sql =>
  asIs(
    path
      .split('.')
      .map((part) => `"${part.replaceAll('"', '""')}"`)
      .join('.'),
  );

/** Writes a constant of the program. */
function literal(value: string | number | boolean): Sql {
  return asIs(typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value));
}

/** Writes values and parts with a separator between them. */
function join(items: readonly unknown[], separator: Sql = asIs(', ')): Sql {
  const values = items.flatMap((item, index) => (index === 0 ? [item] : [separator, item]));
  return new Sql(['', ...values.map(() => '')], values);
}

/**
 * Writes SQL. An `Sql` in it becomes part of the text, any other value a parameter.
 *
 * `ref` and `table` write a name. `lit` writes a constant where PostgreSQL takes no parameter.
 * `join` writes a list. `raw` writes a text of the program as it is.
 */
export const sql = Object.assign(
  <Row = unknown>(texts: TemplateStringsArray, ...values: readonly unknown[]): Sql<Row> =>
    new Sql<Row>(texts, values),
  { ref: name, table: name, lit: literal, join, raw: asIs },
);

/** PostgreSQL's code for a prepared statement whose columns a migration has changed. */
const CHANGED = '0A000';

const names = new Map<string, string>();
/** Part of each statement name. Incrementing it makes connections prepare all statements again. */
let generation = 0;

/** Executions after which a statement counts as frequent. */
const OFTEN = 20;
/** Frequent statements at a time: each takes about 200 KiB in each connection. */
const MOST_FREQUENT = 16;
const MOST_COUNTED = 1_000;
/**
 * Time without a use after which another statement takes the place of a frequent one, in
 * milliseconds. Connections live as long, so each has at most twice `MOST_FREQUENT` of them.
 */
const UNUSED = CONNECTION_LIFETIME;

/** Finds the statements worth preparing among many texts, most of which are used once. */
export class FrequentStatements {
  readonly #uses = new Map<string, number>();
  /** The time of the last use, the least recent first. */
  readonly #frequent = new Map<string, number>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Counts a use of a statement. Returns true if it is used often enough to be prepared. */
  isFrequent(query: Sql): boolean {
    const { text } = query.compile();
    if (this.#frequent.delete(text)) return this.#keep(text);
    if (this.#uses.size >= MOST_COUNTED) this.#uses.clear();
    const count = (this.#uses.get(text) ?? 0) + 1;
    this.#uses.set(text, count);
    if (count < OFTEN) return false;
    if (this.#frequent.size < MOST_FREQUENT) return this.#keep(text);
    const [oldest, lastUse] = this.#frequent.entries().next().value ?? ['', 0];
    if (this.#now() - lastUse < UNUSED) return false;
    this.#frequent.delete(oldest);
    return this.#keep(text);
  }

  #keep(text: string): true {
    this.#frequent.set(text, this.#now());
    return true;
  }
}

/**
 * Executes a statement that PostgreSQL parses and plans once per connection. For queries of nearly
 * every request with few distinct texts: each text stays in the memory of each connection. Inside a
 * transaction it executes as usual.
 */
export async function executePrepared<Row>(query: Sql<Row>, db: Db): Promise<readonly Row[]> {
  if (db.isTransaction) return (await query.execute(db)).rows;
  const statement = query.compile();
  const execute = async (): Promise<readonly Row[]> =>
    (await db.query<Row>({ ...statement, name: nameOf(statement.text) })).rows;
  const before = generation;
  try {
    return await execute();
  } catch (error) {
    if ((error as { code?: string }).code !== CHANGED) throw error;
    if (generation === before) {
      generation++;
      names.clear();
    }
    return execute();
  }
}

/**
 * Like `executePrepared`, and prepares the statement inside a transaction too. For a write that
 * returns no columns of a table, so no migration makes PostgreSQL reject the prepared one. Returns
 * the number of rows.
 */
export async function writePrepared(query: Sql, db: Db): Promise<number> {
  const statement = query.compile();
  return (await db.query({ ...statement, name: nameOf(statement.text) })).rowCount;
}

function nameOf(text: string): string {
  const known = names.get(text);
  if (known) return known;
  const name = `${generation} ${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;
  names.set(text, name);
  return name;
}

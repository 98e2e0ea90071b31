import type { Db, Result, Statement } from './connection.ts';

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

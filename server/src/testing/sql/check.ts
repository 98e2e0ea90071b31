import type pg from 'pg';
import type { Type } from 'typescript/unstable/sync';
import { readColumnKinds } from './column-kinds.ts';
import { compareRow, type KnownColumn, promisedColumns } from './compare.ts';
import { type Column, describeStatement } from './describe.ts';
import type { SourceTree } from './source-tree.ts';
import { findStatements, type Statement } from './statements.ts';

export interface Report {
  readonly statements: number;
  readonly promises: number;
  /** Promises that were compared with columns. */
  readonly compared: number;
  /** Refused statements and broken promises, each with its place. */
  readonly problems: readonly string[];
  /** Places of statements that no text was prepared of, with the unknown part. */
  readonly unchecked: readonly string[];
}

/** Prepares the statements of some files and compares their columns with the promises. */
export async function checkStatements(
  sources: SourceTree,
  isChecked: (file: string) => boolean,
  client: pg.ClientBase,
): Promise<Report> {
  const describe = await createDescriber(client);
  const { checker } = sources.project;
  const statements = findStatements(sources, isChecked);
  const problems: string[] = [];
  const unchecked: string[] = [];
  let compared = 0;
  for (const statement of statements) {
    const { place, row } = statement;
    const { texts, errors } = await describe(statement);
    problems.push(...errors.map((error) => `${place} ${error}`));
    if (texts.length === 0) unchecked.push(`${place} (${statement.unknown[0] ?? 'refused'})`);
    const described = texts.filter(({ columns }) => columns !== undefined);
    if (!row || described.length === 0 || !promisedColumns(checker, row)) continue;
    compared++;
    problems.push(...broken(row, described).map((difference) => `${place} ${difference}`));
  }
  const promises = statements.filter(({ row }) => row !== undefined).length;
  return { statements: statements.length, promises, compared, problems, unchecked };

  /** Returns the differences of exact texts, and those that all guessed texts have. */
  function broken(row: Type, texts: readonly Described[]): readonly string[] {
    const differences = (text: Described) =>
      compareRow(checker, row, text.columns ?? []).map(
        ({ column, reason }) => `${column} ${reason}`,
      );
    const [first, ...others] = texts.filter(({ isExact }) => !isExact).map(differences);
    const shared = first?.filter((one) => others.every((other) => other.includes(one))) ?? [];
    const exact = texts.filter(({ isExact }) => isExact).flatMap(differences);
    return [...new Set([...exact, ...shared])];
  }
}

/** A prepared text with its columns; undefined if only its execution tells them. */
interface Described {
  readonly isExact: boolean;
  readonly columns: readonly KnownColumn[] | undefined;
}

type Describe = (statement: Statement) => Promise<{
  readonly texts: readonly Described[];
  readonly errors: readonly string[];
}>;

/** Several commands, as in a migration, are not prepared. */
const SEVERAL_COMMANDS = 'cannot insert multiple commands into a prepared statement';

async function createDescriber(client: pg.ClientBase): Promise<Describe> {
  const kindOf = await readColumnKinds(client);
  // The catalog, below 16384, does not say which of its columns allow null.
  const { rows } = await client.query<{ key: string; name: string }>(
    `select attrelid || ' ' || attnum as key, attname::text as name from pg_attribute
      where attnum > 0 and not attnotnull and attrelid >= 16384`,
  );
  const nullable = new Map(rows.map(({ key, name }) => [key, name]));
  const known = (text: string, { name, type, table, number }: Column): KnownColumn => {
    const stored = nullable.get(`${table} ${number}`);
    const isExcluded = new RegExp(`\\b"?${stored}"? is not null`).test(text);
    return { name, kind: kindOf(type), isNullable: stored !== undefined && !isExcluded };
  };
  return async ({ texts }) => {
    const described: Described[] = [];
    const errors = new Set<string>();
    for (const { text, isExact } of texts) {
      const description = await describeStatement(client, text);
      if ('columns' in description) {
        const isLater = /^\s*(fetch|explain)\b/i.test(text) && description.columns.length === 0;
        const columns = description.columns.map((column) => known(text, column));
        described.push({ isExact, columns: isLater ? undefined : columns });
      } else if (isExact && description.error !== SEVERAL_COMMANDS) errors.add(description.error);
    }
    return { texts: described, errors: [...errors] };
  };
}

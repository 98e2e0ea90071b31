import type { DatabaseSchema, SchemaTable } from '@sallyport/contract';
import { type AtDatabase, readSchema } from '../../../sessions/database/time-limits.ts';

const MAX_COMPLETIONS = 20;
/** The word being typed, with its schema. */
const LAST_WORD = /[\p{L}\p{N}_.]+$/u;

/**
 * Names in a database, for completion and lists. They are read between two statements of the user.
 */
export class SchemaNames {
  private readonly database: AtDatabase;
  private known: Promise<DatabaseSchema> | undefined;

  constructor(database: AtDatabase) {
    this.database = database;
  }

  /** Reads the current tables and views. */
  async tables(): Promise<readonly SchemaTable[]> {
    this.known = undefined;
    return (await this.read()).tables;
  }

  /** Finds a table by name, with or without schema, ignoring case. */
  async table(name: string): Promise<SchemaTable | undefined> {
    const lowerName = name.toLowerCase();
    return (await this.tables()).find((table) =>
      [table.name, `${table.schema}.${table.name}`].some((one) => one.toLowerCase() === lowerName),
    );
  }

  /** Completes the last word of a text to names of tables, columns and commands. */
  async complete(text: string): Promise<readonly string[]> {
    const [word] = LAST_WORD.exec(text) ?? [];
    if (word === undefined) return [];
    const { tables, commands } = await this.read();
    const names = new Set([
      ...tables.flatMap(({ schema, name, columns }) => [
        name,
        `${schema}.${name}`,
        ...columns.map((column) => column.name),
      ]),
      ...commands,
    ]);
    const matches = [...names]
      .filter((name) => name.toLowerCase().startsWith(word.toLowerCase()))
      .toSorted();
    const before = text.slice(0, text.length - word.length);
    // Keep the typed case: keywords and commands ignore it, and a name starts as typed.
    return matches
      .slice(0, MAX_COMPLETIONS)
      .map((name) => before + (name.startsWith(word) ? name : word + name.slice(word.length)));
  }

  private read(): Promise<DatabaseSchema> {
    this.known ??= readSchema(this.database);
    return this.known;
  }
}

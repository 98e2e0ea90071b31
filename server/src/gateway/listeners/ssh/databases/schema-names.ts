import type { DatabaseSchema, SchemaTable } from '@sallyport/contract';
import type { DatabaseDriver } from '../../../protocols/drivers/driver.ts';

const EMPTY: DatabaseSchema = { tables: [], commands: [], isCut: false };
const MOST_COMPLETED = 20;
/** The word that is being typed, with the schema before a point. */
const LAST_WORD = /[\p{L}\p{N}_.]+$/u;

/** The names in a database, for completion and lists. They are read between two statements of the person. */
export class SchemaNames {
  private readonly driver: Pick<DatabaseDriver, 'schema'>;
  private known: Promise<DatabaseSchema> | undefined;

  constructor(driver: Pick<DatabaseDriver, 'schema'>) {
    this.driver = driver;
  }

  /** The tables and views as they are now. */
  async tables(): Promise<readonly SchemaTable[]> {
    this.known = undefined;
    return (await this.read()).tables;
  }

  /** One of them by its name, with or without its schema, in any case. */
  async table(name: string): Promise<SchemaTable | undefined> {
    const wanted = name.toLowerCase();
    return (await this.tables()).find((table) =>
      [table.name, `${table.schema}.${table.name}`].some((one) => one.toLowerCase() === wanted),
    );
  }

  /** Lines that begin with a text, whose last word is the name of a table, a column or a command. */
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
    const found = [...names]
      .filter((name) => name.toLowerCase().startsWith(word.toLowerCase()))
      .toSorted();
    const before = text.slice(0, text.length - word.length);
    // In the case in which it is typed: keywords and commands know both, and a name is what its beginning is.
    return found
      .slice(0, MOST_COMPLETED)
      .map((name) => before + (name.startsWith(word) ? name : word + name.slice(word.length)));
  }

  private read(): Promise<DatabaseSchema> {
    this.known ??= this.driver.schema().catch(() => EMPTY);
    return this.known;
  }
}

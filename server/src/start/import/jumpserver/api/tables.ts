import type { Note } from '../../description.ts';
import type { Row, SourceDatabase } from '../database.ts';
import { ApiClient, ApiRefusal, type Item } from './client.ts';
import type { ApiSettings } from './settings.ts';

/** Statuses of a path that a version does not have, or that needs further rights. */
const ABSENT = [404, 405];
const FORBIDDEN = [401, 403, 412];

type Id = string | number | null | undefined;

/** Returns the value of a labelled choice, and the id of a linked object. */
export function flat(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  if ('value' in value) return value.value;
  return 'id' in value ? value.id : value;
}

/** Returns the fields of an object with labelled choices and links as plain values. */
export const flatRow = (item: Item): Row =>
  Object.fromEntries(Object.entries(item).map(([name, value]) => [name, flat(value)]));

/** Returns the items of a list as plain values. */
export const flatList = (value: unknown): Id[] =>
  Array.isArray(value) ? value.map((one) => flat(one) as Id) : [];

/** An installation that is read by its API, as the tables that its database would have. */
export class ApiTables {
  readonly client: ApiClient;
  readonly notes: Note[] = [];
  readonly #tables = new Map<string, Row[]>();
  /** Ids of the organizations, the default one first. Blank: the one without a header. */
  organizations: readonly string[] = [''];

  constructor(settings: ApiSettings) {
    this.client = new ApiClient(settings);
  }

  add(table: string, row: Row): void {
    const rows = this.#tables.get(table);
    if (rows) rows.push(row);
    else this.#tables.set(table, [row]);
  }

  note(place: string, text: string): void {
    this.notes.push({ place, text });
  }

  /** Reads a list of an organization; undefined if this version does not have it. */
  async listIfPresent(path: string, organization = ''): Promise<readonly Item[] | undefined> {
    return this.#unless(ABSENT, this.client.list(path, organization));
  }

  /** Returns true if this version has a list, also if its reader has no right to it. */
  async hasList(path: string): Promise<boolean> {
    const present = this.client.count(path).catch((error: unknown) => {
      if (error instanceof ApiRefusal && FORBIDDEN.includes(error.status)) return 0;
      throw error;
    });
    return (await this.#unless(ABSENT, present)) !== undefined;
  }

  /** Reads what some versions and rights do not give; undefined then. */
  async ifAllowed<T>(work: Promise<T>): Promise<T | undefined> {
    return this.#unless([...ABSENT, ...FORBIDDEN], work);
  }

  async #unless<T>(statuses: readonly number[], work: Promise<T>): Promise<T | undefined> {
    try {
      return await work;
    } catch (error) {
      if (error instanceof ApiRefusal && statuses.includes(error.status)) return undefined;
      throw error;
    }
  }

  /** Reads the list of each organization. Rows get the organization that they were read in. */
  async each(path: string, add: (row: Row, item: Item) => void | Promise<void>): Promise<void> {
    for (const organization of this.organizations)
      for (const item of (await this.listIfPresent(path, organization)) ?? [])
        await add({ ...flatRow(item), org_id: organization }, item);
  }

  /** Makes a further table that some versions have, without rows. */
  mark(table: string): void {
    if (!this.#tables.has(table)) this.#tables.set(table, []);
  }

  /** The tables, as the readers of the database use them. */
  database(): SourceDatabase {
    const tables = this.#tables;
    return {
      has: (table) => tables.has(table),
      async *rows(table) {
        yield* tables.get(table) ?? [];
      },
      close: async () => undefined,
    };
  }
}

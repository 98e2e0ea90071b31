import { createHash } from 'node:crypto';
import type { Vault } from '../../../platform/crypto/vault.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { createElastic } from '../../../platform/elastic/client.ts';
import { type CommandIndex, createCommandIndex } from '../../../platform/elastic/command-index.ts';
import { processOf } from '../../servers/index.ts';

/** A row of the command storages. The password is sealed. */
export interface CommandStorageRow {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly hosts: string;
  readonly index: string;
  readonly username: string;
  readonly password: string | null;
  readonly ca_certificate: string;
}

const COLUMNS = sql`r.id, r.name, r.type, r.hosts, r.index, r.username, r.password,
  r.ca_certificate`;

/** Splits a comma-separated list of addresses. */
export const hostsIn = (text: string): string[] =>
  text
    .split(',')
    .map((host) => host.trim())
    .filter(Boolean);

/** The query for the command storage of a server, for a statement that needs it. */
export const storageOf = (holder: string) => sql<Pick<CommandStorageRow, 'id' | 'type'>>`
    select r.id, r.type from terminal t join command_storage r on r.name = t.command_storage
      where t.holder = ${processOf(holder).server}`;

export async function commandStorageById(
  db: Db | Tx,
  id: string,
): Promise<CommandStorageRow | undefined> {
  return (
    await sql<CommandStorageRow>`select ${COLUMNS} from command_storage r
      where r.id = ${id}`.execute(db)
  ).rows[0];
}

/** Every storage with a connection to test. */
export async function storagesToTry(db: Db): Promise<readonly CommandStorageRow[]> {
  return (
    await sql<CommandStorageRow>`select ${COLUMNS} from command_storage r where r.type = 'es'
      order by r.name`.execute(db)
  ).rows;
}

/** The storages that contain commands. */
export async function storagesWithCommands(db: Db | Tx): Promise<readonly CommandStorageRow[]> {
  const { rows } = await sql<CommandStorageRow>`
    select ${COLUMNS} from command_storage r where r.type = 'es' and exists (select from command c
      where c.stored_in = r.id) order by r.name`.execute(db);
  return rows;
}

/** Opens the indexes of storages. An open index keeps its connections. */
export interface CommandIndexes {
  of(row: CommandStorageRow): CommandIndex;
}

const MOST_OPEN = 16;

/** Opens indexes with passwords from the vault. */
export function createCommandIndexes(vault: Vault): CommandIndexes {
  const opened = new Map<string, CommandIndex>();
  return {
    of(row) {
      const key = createHash('sha256').update(JSON.stringify(row)).digest('hex');
      const known = opened.get(key);
      if (known) return known;
      const password = row.password
        ? vault.open(row.password, `command_storage.password.${row.id}`)
        : '';
      const client = createElastic({
        hosts: hostsIn(row.hosts),
        username: row.username,
        password,
        certificate: row.ca_certificate,
      });
      const index = createCommandIndex(client, row.index);
      if (opened.size >= MOST_OPEN) opened.clear();
      opened.set(key, index);
      return index;
    },
  };
}

import { StartError } from '../../../config.ts';
import {
  countImportedCommands,
  type ImportedCommand,
  type ImportedSession,
  storeImportedCommands,
  storeImportedSessions,
} from '../../../features/sessions/index.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import {
  type IndexedSource,
  openSource,
  type Row,
  type SourceDatabase,
} from '../jumpserver/database.ts';
import type { SourceSettings } from '../jumpserver/settings.ts';
import { organizationOf, textOf } from '../jumpserver/values.ts';
import { readCommand, readSession } from './source.ts';

/** Sessions of one transaction. */
const BATCH = 50;
/** Commands of one statement. */
const COMMANDS = 2_000;
const PRODUCT = 'JumpServer';

interface Counts {
  sessions: number;
  present: number;
  commands: number;
  /** Sessions left out, by reason. */
  readonly left: Map<string, number>;
}

interface Saving {
  readonly source: IndexedSource;
  readonly db: Db;
  readonly isDry: boolean;
  readonly counts: Counts;
}

/** Maps organizations of the source to those here, by id, else by name. */
async function organizationsOf(source: SourceDatabase, db: Db): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; name: string }>`
    select id, name from organization`.execute(db);
  const [ids, names] = [
    new Set(rows.map(({ id }) => id)),
    new Map(rows.map(({ id, name }) => [name, id])),
  ];
  const organizations = new Map([['', '']]);
  for await (const row of source.rows('orgs_organization')) {
    const id = organizationOf({ org_id: row.id });
    const here = ids.has(id) ? id : names.get(textOf(row.name));
    if (id !== '' && here !== undefined) organizations.set(id, here);
  }
  return organizations;
}

/** Writes the commands of new sessions in the order of the source. Returns their number. */
async function saveCommands(
  sessions: readonly ImportedSession[],
  { source, isDry }: Saving,
  tx: Tx,
): Promise<number> {
  const byId = new Map(sessions.map((session) => [session.id, session]));
  const amounts = new Map<string, number>();
  let waiting: ImportedCommand[] = [];
  let number = 0;
  for await (const row of source.related('terminal_command', 'session', [...byId.keys()])) {
    const session = byId.get(textOf(row.session).toLowerCase());
    if (!session) continue;
    number += 1;
    if (isDry) continue;
    const sequence = (amounts.get(session.id) ?? 0) + 1;
    amounts.set(session.id, sequence);
    waiting.push({ ...readCommand(row, session), sequence });
    if (waiting.length < COMMANDS) continue;
    await storeImportedCommands(waiting, tx);
    waiting = [];
  }
  await storeImportedCommands(waiting, tx);
  await countImportedCommands([...amounts.keys()], tx);
  return number;
}

/** Writes sessions that do not exist yet, with their commands. */
async function saveBatch(sessions: readonly ImportedSession[], saving: Saving): Promise<void> {
  const { counts, isDry, db } = saving;
  const tx = await db.begin();
  try {
    const ids = sessions.map(({ id }) => id);
    const { rows } = await sql<{ id: string }>`
      select id from session where id = any (${ids}::uuid[])`.execute(tx);
    const known = new Set(rows.map(({ id }) => id));
    const fresh = sessions.filter(({ id }) => !known.has(id));
    if (!isDry && fresh.length > 0) await storeImportedSessions(PRODUCT, fresh, tx);
    const commands = fresh.length > 0 ? await saveCommands(fresh, saving, tx) : 0;
    await tx.commit();
    counts.sessions += fresh.length;
    counts.present += known.size;
    counts.commands += commands;
  } catch (error) {
    await tx.rollback();
    throw error;
  }
}

/**
 * Copies finished sessions and their commands from the database of JumpServer. Sessions that exist
 * stay as they are, so a later call continues. Returns true if something is new.
 * @throws StartError
 */
export async function importHistory(
  settings: SourceSettings,
  { db, isDry, say }: { db: Db; isDry: boolean; say: (line: string) => void },
): Promise<boolean> {
  const source = await openSource(settings);
  const counts: Counts = { sessions: 0, present: 0, commands: 0, left: new Map() };
  try {
    if (!source.has('terminal_session'))
      throw new StartError(`${settings.database} has no table terminal_session.`);
    const organizations = await organizationsOf(source, db);
    const place = (row: Row): ImportedSession | string => {
      const session = readSession(row);
      const organization = organizations.get(organizationOf(row));
      if (typeof session === 'string') return session;
      return organization === undefined
        ? 'is of an organization that was not imported'
        : { ...session, org_id: organization };
    };
    const saving = { source, db, isDry, counts };
    let batch: ImportedSession[] = [];
    for await (const row of source.rows('terminal_session')) {
      const session = place(row);
      if (typeof session === 'string') {
        counts.left.set(session, (counts.left.get(session) ?? 0) + 1);
        continue;
      }
      batch.push(session);
      if (batch.length < BATCH) continue;
      await saveBatch(batch, saving);
      batch = [];
    }
    if (batch.length > 0) await saveBatch(batch, saving);
  } finally {
    await source.close();
  }
  for (const [reason, number] of counts.left)
    say(`note terminal_session: left out because a session ${reason}: ${number}`);
  say(`sessions  ${counts.sessions} new, ${counts.present} same`);
  say(`commands  ${counts.commands} new`);
  return counts.sessions > 0;
}

import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../../../config.ts';
import { type KeptChange, keepChangesOf } from '../../../features/audits/index.ts';
import { processOf } from '../../../features/servers/index.ts';
import type { InvitationService } from '../../../features/sessions/index.ts';
import type { Core } from '../../../module.ts';
import { openSideDatabase } from '../../../platform/db/side-database.ts';
import { journalFolder } from '../../../platform/journal/folder.ts';
import type { SettingsService } from '../../../platform/settings/service.ts';
import type { SessionStore } from '../../ports/records.ts';
import type { EntryWriter } from './entry-kinds.ts';
import { openSessionJournal } from './journal-entries.ts';
import { createLedger, createSessionStore, type Holder, type Ledger } from './session-ledger.ts';

const folderOf = ({ dataDirectory }: Pick<Config, 'dataDirectory'>, holder: string): string =>
  journalFolder(dataDirectory, processOf(holder).number);
/** Maximum wait at start for replaying the previous journal, and at stop for flushing this one. */
const REPLAY_MS = 60_000;
const STOP_MS = 10_000;
const MINUTE = 60_000;

export interface OpenedLedger extends Ledger {
  readonly rows: ReturnType<typeof createSessionStore>;
  /** Store of the self-test; it marks its rows. */
  readonly canary: SessionStore;
  close(): Promise<void>;
}

/** Services of other modules. */
interface LedgerServices {
  readonly invitations: Pick<InvitationService, 'find' | 'writeEvent'>;
  readonly settings: SettingsService;
  readonly recordIfLost: EntryWriter['recordIfLost'];
}

/** Opens the ledger and replays the journal of an earlier process into the database. */
export async function openLedger(
  { db, pool, config, log, vault }: Pick<Core, 'db' | 'pool' | 'config' | 'log' | 'vault'>,
  others: Holder & { readonly inherited: readonly string[] },
  { invitations, settings, recordIfLost }: LedgerServices,
): Promise<OpenedLedger> {
  const rows = createSessionStore(db, others);
  const side = openSideDatabase(pool, 'journal');
  const open = new Set<string>();
  const openOf = (holder: string) =>
    openSessionJournal({
      folder: folderOf(config, holder),
      side,
      holder,
      log,
      keep: () => settings.get('TERMINAL_JOURNAL_KEEP_TIME') * MINUTE,
      sealer: { ...vault.files, isOn: () => settings.get('SECURITY_ENCRYPT_RECORDINGS') },
      writeGuestEvent: (tx, event) => invitations.writeEvent(tx, event),
      recordIfLost,
      keepHours: () => settings.get('TERMINAL_UPLOAD_KEEP_HOURS'),
      onEnded: (sessions) => {
        for (const id of sessions) open.delete(id);
      },
    });
  const until = performance.now() + REPLAY_MS;
  const replay = async (journal: Awaited<ReturnType<typeof openOf>>) => {
    while (!(await journal.settled()) && performance.now() < until) await sleep(500);
    return journal;
  };
  for (const holder of others.inherited)
    if (holder !== others.id && existsSync(folderOf(config, holder)))
      await (await replay(await openOf(holder))).close(STOP_MS);
  const journal = await replay(await openOf(others.id));
  // An embedded database has no standby that could take over with an older state.
  if (config.databaseUrl !== undefined)
    keepChangesOf(db, async (changes: readonly KeptChange[]) => {
      if (settings.get('TERMINAL_JOURNAL_KEEP_TIME') === 0) return;
      await Promise.all(changes.map((change) => journal.append({ kind: 'change', change })));
    });
  const find: InvitationService['find'] = (invitation, userId) =>
    invitations.find(invitation, userId);
  const ledger = createLedger({ rows, journal, open, find, log });
  const marked = createSessionStore(db, others, true);
  return {
    ...ledger,
    rows,
    canary: createLedger({ rows: marked, journal, open, find, log }).sessions,
    async close() {
      await journal.close(STOP_MS);
      await side.close();
    },
  };
}

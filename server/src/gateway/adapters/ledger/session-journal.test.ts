import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createSessionRows } from '../../../features/sessions/index.ts';
import { factsSha256 } from '../../../features/sessions/session-digest.ts';
import { type Database, openDatabase } from '../../../platform/db/database.ts';
import { openSideDatabase, type SideDatabase } from '../../../platform/db/side-database.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { Journal } from '../../../platform/journal/journal-types.ts';
import type { CreateSegment } from '../../../platform/journal/segment-file.ts';
import { createLog } from '../../../platform/log.ts';
import {
  type CuttingProxy,
  startCuttingProxy,
  throughPort,
} from '../../../testing/cutting-proxy.ts';
import { until } from '../../../testing/poll.ts';
import { createTestDatabase, type TestDatabase } from '../../../testing/test-database.ts';
import { CommandLog } from '../../sessions/terminal/session-commands.ts';
import type { SessionEntry } from './entry-kinds.ts';
import { openSessionJournal } from './journal-entries.ts';
import { createLedger, createSessionStore } from './session-ledger.ts';

const HOLDER = 'here';
let database: TestDatabase;
let proxy: CuttingProxy;
let direct: Database;
let proxied: Database;
let sides: SideDatabase[];
let journals: Journal<SessionEntry>[];
let folder: string;

beforeEach(async () => {
  database = await createTestDatabase();
  const { path, at } = throughPort(database.url);
  proxy = await startCuttingProxy({ path });
  direct = openDatabase(database.url, 2);
  proxied = openDatabase(at(proxy.port), 2);
  folder = await mkdtemp(join(tmpdir(), 'sallyport-session-journal-'));
  sides = [];
  journals = [];
});
afterEach(async () => {
  proxy.restore();
  for (const journal of journals) await journal.close(5000);
  for (const side of sides) await side.close();
  await proxied.close();
  await direct.close();
  await proxy.stop();
  await database.drop();
  await rm(folder, { recursive: true });
});

async function begin(name: string, create?: CreateSegment): Promise<Journal<SessionEntry>> {
  const side = openSideDatabase(proxied.pool, 'journal');
  sides.push(side);
  const journal = await openSessionJournal({
    folder: join(folder, name),
    side,
    holder: HOLDER,
    log: createLog('silent'),
    writeGuestEvent: async () => undefined,
    recordIfLost: async () => undefined,
    keepHours: () => 24,
    onEnded: () => undefined,
    ...(create && { create }),
  });
  journals.push(journal);
  return journal;
}

async function beginSession(): Promise<string> {
  const id = randomUUID();
  const names = { user: 'u', asset: 'a', systemUser: 's', loginFrom: 'WT', protocol: 'ssh' };
  const ids = {
    organizationId: '',
    userId: randomUUID(),
    assetId: randomUUID(),
    systemUserId: randomUUID(),
  };
  const rows = createSessionRows(direct.db, HOLDER, { isAlone: true });
  await rows.create({
    id,
    ...names,
    ...ids,
    remoteAddress: null,
    secondFactor: 'none',
    dateStart: new Date(Date.now() - 60_000),
  });
  return id;
}

const DATE = Date.UTC(2026, 0, 31, 12);
const entriesOf = (session: string): SessionEntry[] => [
  { kind: 'command', session, command: { sequence: 0, input: 'one', output: '', at: 1 } },
  {
    kind: 'command',
    session,
    command: { sequence: 1, input: 'two', output: 'no', at: 2, isRefused: true },
  },
  {
    kind: 'file',
    entry: {
      ...{
        organizationId: '',
        user: 'u',
        userId: randomUUID(),
        remoteAddress: '',
        asset: 'a',
        assetId: randomUUID(),
        systemUser: 's',
      },
      ...{
        systemUserId: randomUUID(),
        account: 's',
        session,
        operate: 'Upload',
        filename: '/f',
        size: 1,
        sha256: null,
        reason: '',
        date: DATE,
      },
    },
  },
  {
    kind: 'end',
    session,
    end: {
      ...{ dateEnd: Date.now(), reason: 'session_finished', success: true, replayState: 'none' },
      maskedSecrets: { token: 2 },
    },
  },
];

const contents = async () => {
  const { rows } = await sql<Record<string, unknown>>`
    select (select count(*)::int from command) as commands, (select count(*)::int
      from ftp_log) as files, (select max(date_start) from ftp_log) as file_date,
      (select count(*)::int from session_digest) as digests, is_finished, end_reason,
        command_amount, commands_denied, risk_level, masked_secrets from session`.execute(
    direct.db,
  );
  return rows[0];
};
const WRITTEN = {
  ...{ commands: 2, files: 1, file_date: new Date(DATE), digests: 1, is_finished: true },
  ...{ end_reason: 'session_finished', command_amount: 2, commands_denied: 1, risk_level: 5 },
  masked_secrets: { token: 2 },
};

/** Sessions with their counts, and with their digest as it follows from the rows. */
const digested = async () => {
  const { rows } = await sql<Record<string, unknown>>`
    select s.id, command_amount as commands, is_finished, replay_state,
      d.facts_sha256 = ${factsSha256(3)} as matches
    from session s left join session_digest d on d.session = s.id`.execute(direct.db);
  return new Map(rows.map(({ id, ...row }) => [id, row]));
};

it('writes starts, commands and ends of several sessions together, with the digests of all commands', async () => {
  const [ended, begun, running, starting] = [
    await beginSession(),
    await beginSession(),
    await beginSession(),
    await beginSession(),
  ];
  const typed = (session: string, sequence: number): SessionEntry => ({
    kind: 'command',
    session,
    command: { sequence, input: `command ${sequence}`, output: 'out', at: sequence },
  });
  const end = (session: string): SessionEntry => ({
    kind: 'end',
    session,
    end: { dateEnd: Date.now(), reason: 'session_finished', success: true, replayState: 'none' },
  });
  const journal = await begin('journal');
  await journal.append(typed(ended, 0));
  await until(() => journal.settled(), 'the first command');
  proxy.cut();
  const batch = [typed(ended, 1), { kind: 'begun', session: begun } as const];
  for (const entry of [...batch, typed(running, 0), end(ended)]) await journal.append(entry);
  proxy.restore();
  await until(() => journal.settled(), 'the batch');
  const open = { is_finished: false, matches: null };
  expect(await digested()).toEqual(
    new Map<unknown, unknown>([
      [ended, { commands: 2, is_finished: true, replay_state: 'none', matches: true }],
      [begun, { commands: 0, replay_state: 'recording', ...open }],
      [running, { commands: 1, replay_state: 'none', ...open }],
      [starting, { commands: 0, replay_state: 'none', ...open }],
    ]),
  );
  // The recording of a session starts in the delivery of its first command, and another one ends.
  proxy.cut();
  const next = [{ kind: 'begun', session: starting } as const, typed(starting, 0), end(running)];
  for (const entry of next) await journal.append(entry);
  proxy.restore();
  await until(() => journal.settled(), 'the second batch');
  const rows = await digested();
  expect(rows.get(starting)).toEqual({ commands: 1, replay_state: 'recording', ...open });
  expect(rows.get(running)).toMatchObject({ commands: 1, is_finished: true, matches: true });
});

it('fills the rows at the next start when a server was killed during a database outage', async () => {
  const session = await beginSession();
  proxy.cut();
  const killed = await begin('journal');
  for (const entry of entriesOf(session)) await killed.append(entry);
  await cp(join(folder, 'journal'), join(folder, 'as-killed'), { recursive: true });
  expect(await contents()).toMatchObject({ commands: 0, is_finished: false });
  await killed.close(10);
  proxy.restore();
  await begin('as-killed');
  await until(
    async () => (await contents())?.is_finished === true,
    'the rows of the killed server',
  );
  expect(await contents()).toMatchObject(WRITTEN);
});

it('writes no entry twice when a server was killed before removing a drained segment', async () => {
  const session = await beginSession();
  const killed = await begin('journal');
  for (const entry of entriesOf(session)) await killed.append(entry);
  await until(() => killed.settled(), 'all is in the database');
  await cp(join(folder, 'journal'), join(folder, 'as-killed'), { recursive: true });
  const next = await begin('as-killed');
  await until(() => next.settled(), 'the second drain');
  expect(await contents()).toMatchObject(WRITTEN);
});

it('records the part of an upload that has not ended, once, with its later progress', async () => {
  const session = await beginSession();
  const part = (name: string) => ({
    ...{ asset_id: 'a', system_user_id: 's', account: 'root' },
    part: Buffer.from([...Buffer.from(`/${name}`), 0xff]).toString('base64'),
  });
  const began = (name: string): SessionEntry => ({
    kind: 'part',
    began: {
      ...part(name),
      ...{ place: '', user_id: 'u', session, replaced_size: 7, replaced_at: null },
    },
  });
  const ended = (name: string): SessionEntry => ({ kind: 'part', ended: part(name) });
  const recorded = async () => {
    const { rows } = await sql<{ part: string; bytes: number }>`
      select encode(part, 'escape') as part, bytes from kept_upload order by part`.execute(
      direct.db,
    );
    return Object.fromEntries(rows.map((row) => [row.part, row.bytes]));
  };
  const deliver = async (journal: Journal<SessionEntry>, entries: readonly SessionEntry[]) => {
    proxy.cut();
    for (const entry of entries) await journal.append(entry);
    proxy.restore();
    await until(() => journal.settled(), 'the batch');
  };
  const killed = await begin('journal');
  const brief = [began('brief'), ended('brief')];
  await deliver(killed, [...brief, began('long'), began('again'), ended('again'), began('again')]);
  expect(await recorded()).toEqual({ '/long\\377': 0, '/again\\377': 0 });
  await sql`update kept_upload set bytes = 5`.execute(direct.db);
  await deliver(killed, [began('again'), ended('long'), ended('unknown')]);
  expect(await recorded()).toEqual({ '/again\\377': 5 });
  await deliver(killed, [ended('again')]);
  expect(await recorded()).toEqual({});
});

it("reports a statement as written after the journal's sync, and ends its session when the journal fails", async () => {
  const session = await beginSession();
  let failure: Error | undefined;
  let release = () => {};
  let gate: Promise<void> = new Promise((done) => {
    release = done;
  });
  let syncs = 0;
  const journal = await begin('journal', async (path) => {
    const file = await open(path, 'ax');
    return {
      append: async (bytes) => {
        await file.appendFile(bytes);
        syncs++;
        await gate;
        if (failure) throw failure;
      },
      close: () => file.close(),
    };
  });
  const rows = createSessionStore(direct.db, { id: HOLDER, isAlone: true });
  const ledger = createLedger({
    rows,
    journal,
    open: new Set(),
    find: () => Promise.reject(new Error('no guests')),
    log: createLog('silent'),
  });
  const ends: unknown[] = [];
  const log = new CommandLog(session, ledger.sessions, (error) => ends.push(error));
  log.add({ sequence: 0, input: 'select 1', output: '', at: 1 });
  await until(() => syncs === 1, 'the sync');
  expect(
    await Promise.race([log.written(), new Promise((done) => setTimeout(done, 50, 'not written'))]),
  ).toBe('not written');
  release();
  await log.written();
  expect(log.written()).toBeUndefined();
  failure = new Error('ENOSPC');
  gate = Promise.resolve();
  log.add({ sequence: 1, input: 'select 2', output: '', at: 2 });
  await log.written();
  expect(ends).toEqual([failure]);
});

import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { createLog } from '../../platform/log.ts';
import {
  type EvidenceFile,
  forge,
  linesOf,
  openEvidence,
  setLines,
} from '../../testing/evidence/evidence-file.ts';
import { runHousekeeping, withoutSchedule } from '../../testing/jobs.ts';
import { runOperatorCommand } from '../../testing/operator-command.ts';
import {
  startTimestampServer,
  type TimestampServer,
} from '../../testing/services/timestamp-server.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { writeOperateLog } from '../audits/operate-log.ts';
import { serverIdOf } from '../servers/index.ts';
import { repairDigests } from '../sessions/repair.ts';
import { factsSha256, NEWEST } from '../sessions/session-digest.ts';
import { createSessionRows } from '../sessions/store.ts';

const VERIFIER = resolve(import.meta.dirname, '../../../../scripts/evidence/verify.mjs');
const folder = mkdtempSync(join(tmpdir(), 'sallyport-declared-'));
const at = (name: string) => join(folder, name);

let service: TimestampServer;
let test: TestProgram;
/** Sessions with an early row: before the end, before the last commands, and one that is open. */
let [restored, cloned, open, honest]: string[] = [];
/** A moment between the early rows and the later ones. */
let before: Date;
beforeAll(async () => {
  service = await startTimestampServer();
  writeFileSync(at('ca.pem'), service.authority);
  test = await startTestProgram({ witness: { url: service.url, caFile: at('ca.pem') } });
  for (const job of ['audit-witness', 'audit-seal']) await withoutSchedule(test, job);
  // An earlier version had no such rule.
  await sql`alter table session_digest disable trigger admit`.execute(test.db);
  honest = await liveSession();
  await end(honest);
  await prove(honest);
  restored = await liveSession();
  await prove(restored);
  await end(restored);
  cloned = await liveSession();
  await end(cloned);
  await prove(cloned);
  open = await liveSession();
  await prove(open);
  const { rows } = await sql<{ now: Date }>`select now()`.execute(test.db);
  before = rows[0]?.now ?? new Date();
  await addCommands(cloned, 3, 6);
  await addCommands(open, 3, 5);
  // The second closer of the row.
  for (const id of [restored, cloned]) await prove(id);
  await sql`alter table session_digest enable trigger admit`.execute(test.db);
  await sql`insert into session_repair_pending default values on conflict do nothing`.execute(
    test.db,
  );
  await repairDigests({
    db: test.db,
    vault: test.program.vault,
    audit: writeOperateLog,
    log: createLog('silent'),
  });
  await runHousekeeping(test, 'audit-witness');
});
afterAll(async () => {
  await test.stop();
  await service.stop();
  rmSync(folder, { recursive: true });
});

const rows = () => createSessionRows(test.db, serverIdOf(test));
const addCommands = (id: string, from: number, to: number) =>
  rows().addCommands(
    id,
    Array.from({ length: to - from }, (_, index) => ({
      sequence: from + index,
      input: `echo ${from + index}`,
      output: '',
      at: from + index,
    })),
  );

/** A live session with three commands, whose facts need every kind of escape in JSON. */
async function liveSession(): Promise<string> {
  const id = crypto.randomUUID();
  await rows().create({
    id,
    organizationId: '',
    user: '李 "Wei"\\\t\u0001\u007f\u2028(li.wei)',
    asset: 'web-01/\b\f\n\r😀',
    systemUser: 'deploy(deploy)',
    userId: '',
    assetId: '',
    systemUserId: '',
    loginFrom: 'WT',
    remoteAddress: '10.0.0.9',
    protocol: 'ssh',
    secondFactor: 'none',
    dateStart: new Date(),
  });
  await addCommands(id, 0, 3);
  return id;
}

/** Writes the digest of the present row, as each closer of an earlier version did. */
const prove = (id: string) =>
  sql`insert into session_digest (session, version, facts_sha256)
    select s.id, ${NEWEST}, ${factsSha256(NEWEST)} from session s where s.id = ${id}`.execute(
    test.db,
  );
const end = (id: string) =>
  sql`update session set is_finished = true, end_reason = 'interrupted', is_success = true,
    replay_state = 'none', date_end = now() where id = ${id}`.execute(test.db);

async function exported(name: string, range: readonly string[]): Promise<EvidenceFile> {
  const { code, stderr } = await runOperatorCommand(test, [
    'evidence',
    'export',
    at(name),
    ...range,
  ]);
  expect([code, stderr]).toEqual([0, '']);
  return openEvidence(readFileSync(at(name)));
}
const verified = (name: string) =>
  promisify(execFile)(process.execPath, [VERIFIER, at(name), `--ca=${at('ca.pem')}`], {
    env: {},
  }).then(
    ({ stdout }) => ({ code: 0, stdout }),
    (result: { code: number; stdout: string }) => result,
  );
const forged = (name: string, change: (file: EvidenceFile) => void) => {
  writeFileSync(at('forged.tar'), forge(readFileSync(at(name)), change));
  return verified('forged.tar');
};
const PARTLY = 3;
const CHANGED = 2;

it('calls a session with a row from before its end partly proven, and says what the row proves', async () => {
  const { manifest } = await exported('restored.tar', [`--session=${restored}`]);
  expect(manifest.format).toBe('sallyport evidence 2');
  const { code, stdout } = await verified('restored.tar');
  expect(stdout).toMatch(
    /PARTLY PROVEN: session \S+: row \d+ is declared as written too early; it proves the session before its end, with the first 3 of 3 commands\n/,
  );
  expect([code, stdout.includes('CHANGED')]).toEqual([PARTLY, false]);
});

it('calls a session with a row from before its last commands partly proven', async () => {
  await exported('cloned.tar', [`--session=${cloned}`]);
  const { code, stdout } = await verified('cloned.tar');
  expect(stdout).toContain('is declared as written too early; it proves the first 3 of 6 commands');
  expect([code, stdout.includes('CHANGED')]).toEqual([PARTLY, false]);
});

it('says that no row proves the end of a session that has not ended', async () => {
  await exported('open.tar', [`--session=${open}`]);
  const { code, stdout } = await verified('open.tar');
  expect(stdout).toContain('with the first 3 of 5 commands');
  expect(stdout).toContain(`NOT PROVEN: session ${open}: no row of this file proves its end`);
  expect([code, stdout.includes('CHANGED')]).toEqual([PARTLY, false]);
});

it('keeps the first format for a session without declared rows, and proves it', async () => {
  const { manifest, files } = await exported('honest.tar', [`--session=${honest}`]);
  expect(manifest.format).toBe('sallyport evidence 1');
  expect([...files.keys()].filter((name) => name.endsWith('declared.json'))).toEqual([]);
  expect((await verified('honest.tar')).code).toBe(0);
});

it('contains the row that proves a declared session in a period that ends before that row', async () => {
  await exported('period.tar', ['--from=2020-01-01T00:00:00Z', `--to=${before.toISOString()}`]);
  const { code, stdout } = await verified('period.tar');
  for (const id of [restored, cloned])
    expect(stdout).toContain(`PARTLY PROVEN: session ${id}: row `);
  expect([code, stdout.includes('CHANGED')]).toEqual([PARTLY, false]);
});

it('finds each change of a session with declared rows', async () => {
  const inFile = (id: string | undefined, name: string) => `sessions/${id}/${name}`;
  const replace = (id: string | undefined, name: string, from: string, to: string) =>
    ((file) =>
      file.files.set(
        inFile(id, name),
        Buffer.from(String(file.files.get(inFile(id, name))).replace(from, to)),
      )) satisfies (file: EvidenceFile) => void;
  const dropLines = (id: string | undefined, count: number) => (file: EvidenceFile) => {
    const name = inFile(id, 'commands.jsonl');
    setLines(file, name, linesOf(file, name).slice(0, -count));
  };
  const addLine = (id: string | undefined) => (file: EvidenceFile) => {
    const name = inFile(id, 'commands.jsonl');
    setLines(file, name, [...linesOf(file, name), linesOf(file, name)[0] ?? '']);
  };
  const declareAll = (id: string | undefined) => (file: EvidenceFile) => {
    const sequences = linesOf(file, 'logs/session_digest/0').map(
      (line) => JSON.parse(line).sequence as number,
    );
    file.manifest.format = 'sallyport evidence 2';
    file.files.set(inFile(id, 'declared.json'), Buffer.from(JSON.stringify({ rows: sequences })));
  };
  const cases: readonly (readonly [string, (file: EvidenceFile) => void])[] = [
    ['restored.tar', replace(restored, 'session.txt', '10.0.0.9', '10.0.0.8')],
    ['restored.tar', replace(restored, 'session.txt', 'interrupted', 'session_finished')],
    ['restored.tar', replace(restored, 'session.txt', ', ', ',')],
    ['restored.tar', replace(restored, 'commands.jsonl', 'echo 1', 'echo 7')],
    ['restored.tar', addLine(restored)],
    ['restored.tar', dropLines(restored, 1)],
    ['restored.tar', ({ files }) => files.delete(inFile(restored, 'declared.json'))],
    ['restored.tar', ({ files }) => files.delete(inFile(restored, 'session.txt'))],
    ['cloned.tar', addLine(cloned)],
    ['cloned.tar', dropLines(cloned, 1)],
    // The session would end as the early row says.
    ['cloned.tar', dropLines(cloned, 3)],
    ['cloned.tar', replace(cloned, 'declared.json', '[', '[1,')],
    ['open.tar', replace(open, 'session.txt', 'null', '"2026-11-20 08:40:00.000000"')],
    // A row that is not early stays an accusation, declared or not.
    ['honest.tar', (file) => [declareAll(honest), addLine(honest)].map((one) => one(file))],
    ['honest.tar', (file) => [declareAll(honest), dropLines(honest, 1)].map((one) => one(file))],
    [
      'honest.tar',
      (file) =>
        [declareAll(honest), replace(honest, 'session.txt', 'WT', 'ST')].map((one) => one(file)),
    ],
    ['period.tar', addLine(restored)],
    ['period.tar', dropLines(cloned, 1)],
  ];
  for (const [index, [name, change]] of cases.entries()) {
    const { code, stdout } = await forged(name, change);
    expect([index, code]).toEqual([index, CHANGED]);
    expect(stdout).toMatch(/CHANGED \((?:row|command|file)\)/);
  }
});

it('calls a session that waits for its dead server not ended', async () => {
  await sql`update session set is_finished = true, awaits_holder = true, end_reason = 'interrupted',
    is_success = true, date_end = now() where id = ${open}`.execute(test.db);
  await exported('waiting.tar', [`--session=${open}`]);
  const { code, stdout } = await verified('waiting.tar');
  expect(stdout).toContain(`NOT PROVEN: session ${open}: no row of this file proves its end`);
  expect([code, stdout.includes('CHANGED')]).toEqual([PARTLY, false]);
});

it('declares nothing that this installation has not sealed', async () => {
  await sql`insert into session_repair (session, sequences, seal)
    select session, array_agg(sequence), 'none' from session_digest where session = ${honest}
    group by session`.execute(test.db);
  const { manifest } = await exported('sealed.tar', [`--session=${honest}`]);
  expect(manifest.format).toBe('sallyport evidence 1');
});

import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { createLog } from '../../platform/log.ts';
import { readAuthorities } from '../../platform/timestamp/request.ts';
import { buildUser } from '../../testing/builders.ts';
import {
  type EvidenceFile,
  forge,
  linesOf,
  openEvidence,
  packFiles,
  setLines,
} from '../../testing/evidence/evidence-file.ts';
import { runHousekeeping, withoutSchedule } from '../../testing/jobs.ts';
import { executeOperatorCommand, runOperatorCommand } from '../../testing/operator-command.ts';
import {
  startTimestampServer,
  type TimestampServer,
} from '../../testing/services/timestamp-server.ts';
import { bearer } from '../../testing/sign-in.ts';
import { becomeSuperuser } from '../../testing/superuser.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { createAuditChains } from '../audits/index.ts';
import { createSessionRows } from '../sessions/index.ts';
import { createWitnesses } from '../witness/service.ts';

const VERIFIER = resolve(import.meta.dirname, '../../../../scripts/evidence/verify.mjs');
const folder = mkdtempSync(join(tmpdir(), 'sallyport-evidence-'));
const at = (name: string) => join(folder, name);

let service: TimestampServer;
let test: TestProgram;
let session: string;
beforeAll(async () => {
  service = await startTimestampServer();
  writeFileSync(at('ca.pem'), service.authority);
  test = await startTestProgram({ witness: { url: service.url, caFile: at('ca.pem') } });
  for (const job of ['audit-witness', 'audit-seal']) await withoutSchedule(test, job);
  for (let index = 0; index < 3; index++) await bearer(test);
  session = await endedSession();
  await runHousekeeping(test, 'audit-witness');
  await exported('sound.tar', [`--session=${session}`]);
});
afterAll(async () => {
  await test.stop();
  await service.stop();
  rmSync(folder, { recursive: true });
});

/** An ended session with two commands and a recording. */
async function endedSession(): Promise<string> {
  const { rows: terminals } = await sql<{ holder: string }>`select holder from terminal`.execute(
    test.db,
  );
  const rows = createSessionRows(test.db, terminals[0]?.holder ?? '');
  const id = crypto.randomUUID();
  const startedAt = new Date();
  await rows.create({
    id,
    user: 'Li Wei(li.wei)',
    asset: 'web-01',
    systemUser: 'deploy(deploy)',
    userId: '',
    assetId: '',
    systemUserId: '',
    organizationId: '',
    loginFrom: 'WT',
    remoteAddress: '10.0.0.9',
    protocol: 'ssh',
    secondFactor: 'none',
    dateStart: startedAt,
  });
  await rows.addCommands(id, [
    { sequence: 1, input: 'id', output: 'root', at: 5 },
    { sequence: 2, input: 'rm -rf /srv', output: '', at: 9 },
  ]);
  const recording = await test.program.recordings.add({ id, startedAt }, 'what it showed');
  await rows.finish(id, {
    dateEnd: new Date(),
    reason: 'session_finished',
    success: true,
    replayState: 'finished',
    recording,
  });
  return id;
}

const PERIOD = ['--from=2020-01-01T00:00:00Z', '--to=2100-01-01T00:00:00Z'];
async function exported(
  name: string,
  range: readonly string[],
  run = runOperatorCommand,
): Promise<string> {
  const { code, stdout, stderr } = await run(test, ['evidence', 'export', at(name), ...range]);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain(`evidence: ${at(name)} (${statSync(at(name)).size} bytes)\n`);
  return at(name);
}
const verified = (file: string, ca = at('ca.pem')) =>
  promisify(execFile)(process.execPath, [VERIFIER, file, `--ca=${ca}`], { env: {} }).then(
    ({ stdout }) => ({ code: 0, stdout, stderr: '' }),
    (result: { code: number; stdout: string; stderr: string }) => result,
  );

const forged = (name: string, change: (file: EvidenceFile) => void) => {
  writeFileSync(at('forged.tar'), forge(readFileSync(at(name)), change));
  return verified(at('forged.tar'));
};

async function asAttacker(...statements: Sql[]): Promise<void> {
  await test.db.transaction(async (tx) => {
    await becomeSuperuser(tx);
    await sql`set local session_replication_role = replica`.execute(tx);
    for (const statement of statements) await statement.execute(tx);
  });
}

it('proves a session with its commands and its recording, with the same bytes each time', async () => {
  const again = readFileSync(
    await exported('again.tar', [`--session=${session}`], executeOperatorCommand),
  );
  expect(readFileSync(at('sound.tar')).equals(again)).toBe(true);
  const { code, stdout } = await verified(at('sound.tar'));
  expect(stdout).toContain('Everything is proven.');
  expect(code).toBe(0);
  const { rows } = await sql`select 1 from operate_log where resource_type = 'audit_log'
    and resource = ${session} and action = 'view'`.execute(test.db);
  expect(rows).toHaveLength(2);
});

it('signs evidence by SM2 in the mode of national cryptography, and the verifier names a forgery', async () => {
  const variables = { SALLYPORT_NATIONAL_CRYPTOGRAPHY: 'yes' };
  const file = await exported('signed.tar', [`--session=${session}`], (one, words) =>
    runOperatorCommand(one, words, variables),
  );
  const { code, stdout } = await verified(file);
  expect(stdout).toContain('Everything is proven.');
  expect(code).toBe(0);
  const [, fingerprint = ''] = /Signed by SM2, by the key ([0-9a-f]{64})\n/.exec(stdout) ?? [];
  const { stdout: keys } = await runOperatorCommand(test, ['key', 'status']);
  expect(keys).toContain(`SM2 key ${fingerprint}: active`);
  const changed = await forged('signed.tar', () => undefined);
  expect(changed.code).toBe(2);
  expect(changed.stdout).toContain('CHANGED (file): the signature by SM2 is wrong');
});

it('gives auditors of the installation the evidence of a session, and logs it', async () => {
  const url = `audits/evidence/${session}/`;
  const auditor = await bearer(test, await buildUser(test.db, { role: 'Auditor' }));
  const { status, text } = await auditor.get(url);
  expect(status).toBe(200);
  expect(Buffer.byteLength(text)).toBeGreaterThan(readFileSync(at('sound.tar')).length / 2);
  const user = await bearer(test, await buildUser(test.db));
  expect((await user.get(url)).status).toBe(403);
  const id = crypto.randomUUID();
  const missing = await auditor.get(`audits/evidence/${id}/`);
  expect([missing.status, missing.text]).toEqual([
    404,
    expect.stringContaining(`There is no ended session ${id}.`),
  ]);
  expect((await auditor.get('audits/evidence/nothing/')).status).toBe(404);
});

it('gives auditors of the installation the evidence of a period, after a preview', async () => {
  const auditor = await bearer(test, await buildUser(test.db, { role: 'Auditor' }));
  const query = (from: string, to: string) => new URLSearchParams({ from, to });
  const period = query('2020-01-01 00:00:00', '2100-01-01 00:00:00');
  const { body } = await auditor.get<{ sessions: number }>(`audits/evidence/preview/?${period}`);
  expect(body.sessions).toBeGreaterThan(0);
  const { status, text } = await auditor.get(`audits/evidence/?${period}`);
  expect(status).toBe(200);
  expect(text).toContain('"log": "login_log"');
  for (const path of ['audits/evidence/', 'audits/evidence/preview/']) {
    const fieldsOf = async (search: URLSearchParams) =>
      (await auditor.get<Record<string, unknown>>(`${path}?${search}`)).body;
    expect(await fieldsOf(query('yesterday', ''))).toMatchObject({ from: [/date/i], to: [/./] });
    const wrong = await fieldsOf(query('2020-01-02 00:00:00', '2020-01-01 00:00:00'));
    expect(wrong).toEqual({ to: ['The end must be after the start.'] });
    const empty = await auditor.get(
      `${path}?${query('2020-01-01 00:00:00', '2020-01-02 00:00:00')}`,
    );
    expect([empty.status, empty.text]).toEqual([
      404,
      expect.stringContaining('No log has an entry of this period.'),
    ]);
    const user = await bearer(test, await buildUser(test.db));
    expect((await user.get(`${path}?${period}`)).status).toBe(403);
  }
});

it('says what cannot be exported', async () => {
  const unknown = crypto.randomUUID();
  for (const [range, problem] of [
    [[`--session=${unknown}`], `There is no ended session ${unknown}.`],
    [
      ['--from=2020-01-01T00:00:00Z', '--to=2020-01-02T00:00:00Z'],
      'No log has an entry of this period.',
    ],
    [['--from=2020-01-02T00:00:00Z', '--to=2020-01-01T00:00:00Z'], 'Name a session or a period'],
  ] as const) {
    const { code, stderr } = await runOperatorCommand(test, [
      'evidence',
      'export',
      at('none.tar'),
      ...range,
    ]);
    expect([code, stderr]).toEqual([1, expect.stringContaining(problem)]);
  }
  expect(existsSync(at('none.tar'))).toBe(false);
});

it('contains the rows of a period between two tokens, and is complete with them', async () => {
  const from = new Date();
  for (let index = 0; index < 2; index++) await bearer(test);
  const to = new Date();
  const witnesses = createWitnesses({
    db: test.db,
    authority: { url: service.url, authorities: readAuthorities(service.authority) },
    log: createLog('silent'),
    now: () => new Date(Date.now() + 3_600_001),
  });
  await witnesses.run();
  const range = [`--from=${from.toISOString()}`, `--to=${to.toISOString()}`];
  const { code, stdout } = await verified(await exported('complete.tar', range));
  expect(stdout).toContain(`login_log: a witness of `);
  expect(stdout).not.toContain('missing');
  expect(stdout).toContain('Everything is proven.');
  expect(code).toBe(0);
  const without = await forged('complete.tar', (file) => {
    const part = file.manifest.parts.find(({ log }) => log === 'login_log');
    if (!part) throw new Error('no part');
    setLines(file, 'logs/login_log/0', linesOf(file, 'logs/login_log/0').slice(0, -1));
    part.end -= 1;
    part.last = Math.min(part.last, part.end);
  });
  expect(without.stdout).toMatch(/login_log: rows of the period after row \d+ may be missing/);
  expect(without.code).toBe(3);
});

const DIGESTS = 'logs/session_digest/0';
const dropAll = ({ files }: EvidenceFile, part: string) => {
  for (const name of files.keys()) if (name.includes(part)) files.delete(name);
};
const foreign = '00000000-0000-4000-8000-000000000001';
it.each<[string, (file: EvidenceFile) => void, string]>([
  ['no logs', ({ manifest }) => manifest.parts.splice(0), 'the manifest names no log'],
  [
    'nothing but a manifest',
    ({ files, manifest }) => {
      files.clear();
      manifest.parts = [];
    },
    'this file does not contain it',
  ],
  ['no rows', (file) => dropAll(file, DIGESTS), 'session_digest: rows'],
  ['empty rows', (file) => setLines(file, DIGESTS, []), '.jsonl is empty'],
  ['no chain', (file) => dropAll(file, 'chain.json'), 'the beginning of its chain is missing'],
  ['no session', (file) => dropAll(file, 'sessions/'), 'its row is missing'],
  ['no facts', (file) => dropAll(file, 'session.txt'), 'its row or its commands were changed'],
  ['no commands', (file) => dropAll(file, 'commands.jsonl'), 'its row is missing'],
  ['no recording', (file) => dropAll(file, '/recording'), 'its recording is missing'],
  [
    'fewer commands',
    (file) => setLines(file, `sessions/${session}/commands`, []),
    'its row or its commands were changed',
  ],
  [
    'another named session',
    ({ manifest }) => {
      manifest.range = { session: foreign };
    },
    `session ${foreign}: this file does not contain it`,
  ],
  [
    'a period that its rows are not of',
    ({ manifest }) => {
      manifest.range = { from: '2020-01-01T00:00:00Z', to: '2020-02-01T00:00:00Z' };
    },
    'no row is of the session or the period',
  ],
  [
    'a session that no log proves',
    ({ files }) => {
      files.set(`sessions/${foreign}/commands.jsonl`, Buffer.from(''));
    },
    `session ${foreign}: no log proves it`,
  ],
  [
    'the session of another organization in its place',
    ({ files }) => {
      const name = `sessions/${session}/session.txt`;
      const facts = JSON.parse(String(files.get(name)));
      facts[2] = foreign;
      files.set(name, Buffer.from(JSON.stringify(facts)));
    },
    'its row or its commands were changed',
  ],
  [
    'rows twice',
    (file) =>
      setLines(
        file,
        DIGESTS,
        [0, 0].flatMap(() => linesOf(file, DIGESTS)),
      ),
    'was changed',
  ],
  [
    'rows that end elsewhere',
    ({ manifest }) => {
      for (const part of manifest.parts) part.end += 7;
    },
    'are missing',
  ],
  [
    'a token of another statement',
    ({ files }) => {
      const name = [...files.keys()].find((one) => one.startsWith('witness/')) ?? '';
      const { id, token, statement } = JSON.parse(String(files.get(name)));
      const other = statement.replace(/"sequence":(\d+)/g, '"sequence":1$1');
      files.set(name, Buffer.from(JSON.stringify({ id, statement: other, token })));
    },
    'the statement was changed',
  ],
])('does not prove a file with %s', async (_, change, problem) => {
  const { code, stdout, stderr } = await forged('sound.tar', change);
  expect(stderr).toBe('');
  expect(stdout).toContain(problem);
  expect(stdout).not.toContain('Everything is proven');
  expect(code).toBe(2);
});

it('does not believe the manifest which rows are of the session', async () => {
  const later = await endedSession();
  await exported('later.tar', [`--session=${later}`]);
  const { code, stdout } = await forged('later.tar', ({ manifest }) => {
    for (const part of manifest.parts) Object.assign(part, { last: part.first });
  });
  expect(stdout).toContain('session_digest: NO WITNESS');
  expect(code).toBe(3);
  const earlier = await forged('later.tar', (file) => {
    // The witnessed rows come first, and the session after them.
    const rows = linesOf(
      { ...file, files: openEvidence(readFileSync(at('sound.tar'))).files },
      DIGESTS,
    );
    const own = linesOf(file, DIGESTS);
    const { sequence } = JSON.parse(own[0] ?? '');
    const isNext = JSON.parse(rows.at(-1) ?? '').sequence + 1 === sequence;
    expect(isNext).toBe(true);
    setLines(file, DIGESTS, [...rows, ...own]);
    for (const [name, content] of openEvidence(readFileSync(at('sound.tar'))).files)
      if (name.startsWith('witness/') || name.endsWith('chain.json')) file.files.set(name, content);
    for (const part of file.manifest.parts) Object.assign(part, { first: 1, last: 1 });
  });
  expect(earlier.stdout).toContain('session_digest: NO WITNESS for rows 2 to');
  expect(earlier.code).toBe(3);
});

it('does not prove commands without their texts', async () => {
  const { code, stdout } = await forged('sound.tar', (file) =>
    setLines(
      file,
      `sessions/${session}/commands`,
      linesOf(file, `sessions/${session}/commands`).map((line) =>
        JSON.stringify({ ...JSON.parse(line), text: null }),
      ),
    ),
  );
  expect(stdout).toContain('the texts of 2 commands are in a storage');
  expect(code).toBe(3);
});

const SIZE = 124;
it.each<[string, (bytes: Buffer) => Buffer, string]>([
  ['is cut off', (bytes) => bytes.subarray(0, bytes.length - 2048), 'is cut off'],
  ['has no end', (bytes) => bytes.subarray(0, bytes.length - 1024), 'is cut off'],
  ['continues', (bytes) => Buffer.concat([bytes, bytes]), 'data after its end'],
  ['is empty', () => Buffer.of(), 'is cut off'],
  ['is no archive', () => Buffer.alloc(4096, 'x'), 'a damaged header at byte 0'],
  ['has no manifest', () => packFiles([]), 'manifest.json is missing'],
  [
    'has a path to elsewhere',
    () => packFiles([['logs/../../etc/passwd', Buffer.of()]]),
    'unexpected file: logs/../../etc/passwd',
  ],
  [
    'has a file twice',
    () => packFiles([0, 0].map(() => ['manifest.json', Buffer.from('{}')] as const)),
    'manifest.json twice',
  ],
  [
    'claims a huge file',
    (bytes) => {
      bytes.write('77777777777', SIZE);
      return sumAgain(bytes);
    },
    'is cut off',
  ],
  [
    'has a size that is no number',
    (bytes) => {
      bytes.write('-0000000001', SIZE);
      return sumAgain(bytes);
    },
    'a damaged header',
  ],
  [
    'has a manifest that names a log twice',
    (bytes) =>
      forge(bytes, ({ manifest }) => {
        manifest.parts = [...manifest.parts, ...manifest.parts];
      }),
    'manifest.json contradicts itself',
  ],
])('rejects a file that %s', async (_, change, problem) => {
  writeFileSync(at('rejected.tar'), change(readFileSync(at('sound.tar'))));
  const { code, stdout, stderr } = await verified(at('rejected.tar'));
  expect(stderr).toContain(problem);
  expect([code, stdout]).toEqual([1, '']);
});

/** Writes the checksum of the first header again. */
function sumAgain(bytes: Buffer): Buffer {
  bytes.write('        ', 148);
  const sum = bytes.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return bytes;
}

it('verifies a large recording with little memory', async () => {
  const large = forge(readFileSync(at('sound.tar')), ({ files }) => {
    files.set(`sessions/${session}/recording`, Buffer.alloc(256 << 20));
  });
  writeFileSync(at('large.tar'), large);
  const [small = 0, peak = 0] = await Promise.all([memoryFor('sound.tar'), memoryFor('large.tar')]);
  expect(peak - small).toBeLessThan(100_000);
});

/** Peak of the memory of the verifier, in KiB. */
async function memoryFor(name: string): Promise<number> {
  const telling = `data:text/javascript,process.on('exit', () => console.error(process.resourceUsage().maxRSS))`;
  const { stderr } = await promisify(execFile)(
    process.execPath,
    ['--import', telling, VERIFIER, at(name), `--ca=${at('ca.pem')}`],
    { env: {} },
  ).catch((error: { stderr: string }) => error);
  return Number(stderr);
}

it.each([
  ['command', 'rm -rf /srv', 'ls -la /srv', 'command 2 was changed'],
  ['recording', '\u001f', '\u001e', 'its recording was changed'],
  ['row', '10.0.0.9', '10.0.0.8', 'its row or its commands were changed'],
  ['witness', 'sallyport audit heads 1', 'sallyport audit heads 2', 'the statement was changed'],
])('names a changed %s in a file', async (kind, before, after, problem) => {
  const bytes = readFileSync(at('sound.tar'));
  const place =
    kind === 'recording'
      ? bytes.indexOf('/recording\0') +
        bytes.subarray(bytes.indexOf('/recording\0')).indexOf(before)
      : bytes.indexOf(before);
  expect(place).toBeGreaterThan(0);
  bytes.write(after, place);
  writeFileSync(at('changed.tar'), bytes);
  const { code, stdout } = await verified(at('changed.tar'));
  expect(stdout).toContain(problem);
  expect(code).toBe(2);
});

it('needs the authority of the verifier, whatever the file contains', async () => {
  const other = await startTimestampServer();
  writeFileSync(at('other.pem'), other.authority);
  await other.stop();
  const { code, stdout } = await verified(at('sound.tar'), at('other.pem'));
  expect([code, stdout.includes('does not lead to the given CA')]).toEqual([2, true]);
});

it('names the witness that a log does not match when an attacker with root, key and database has rewritten and sealed it again', async () => {
  const before = await verified(await exported('before.tar', PERIOD));
  expect(before.stdout).not.toContain('CHANGED');
  // Rows since the token are chained only: those of the export itself, at least.
  expect([before.code, before.stdout.includes('NO WITNESS')]).toEqual([3, true]);
  const { rows } = await sql<{ sequence: number }>`
    select min(sequence) as sequence from login_log`.execute(test.db);
  const victim = rows[0]?.sequence ?? 0;
  await asAttacker(
    sql`update login_log set ip = '10.9.9.9' where sequence = ${victim}`,
    sql`do $$
      declare
        one record;
        previous bytea := '';
      begin
        for one in select * from login_log order by sequence loop
          previous := sha256(previous || convert_to(audit_text(to_jsonb(one)), 'UTF8'));
          update login_log set digest = previous where sequence = one.sequence;
        end loop;
        update audit_chain set digest = previous where log = 'login_log';
      end $$`,
    sql`delete from audit_seal`,
  );
  rmSync(join(test.dataDirectory, 'audit-seals.json'), { force: true });
  const { vault } = test.program;
  const chains = createAuditChains({ db: test.db, vault, directory: test.dataDirectory });
  await chains.seal();
  // The server itself finds nothing.
  const [verdict] = await chains.verify(['login_log']);
  expect(verdict?.first_break).toBeNull();
  const { code, stdout } = await verified(await exported('after.tar', PERIOD));
  expect(stdout).toMatch(
    /CHANGED \(witness\): login_log: does not match witness \d+ of .*; a row from \d+ to \d+ was changed/,
  );
  expect(stdout).not.toMatch(/CHANGED.*(?:operate_log|session)/);
  expect(code).toBe(2);
  // A statement that fits the new chain no longer fits its token.
  await asAttacker(sql`update audit_witness w set statement = (select jsonb_set(w.statement::jsonb,
    '{heads}', (select jsonb_agg(jsonb_build_object('log', h ->> 'log', 'sequence',
      (h ->> 'sequence')::bigint, 'digest', case when h ->> 'log' = 'login_log' then
      (select encode(digest, 'hex') from login_log l
        where l.sequence = (h ->> 'sequence')::bigint) else h ->> 'digest' end))
      from jsonb_array_elements(w.statement::jsonb -> 'heads') h))::text)`);
  const rewritten = await verified(await exported('rewritten.tar', PERIOD));
  expect(rewritten.stdout).toContain('it is over another statement: the statement was changed');
  expect(rewritten.code).toBe(2);
  // Without tokens nothing claims to be proven.
  await asAttacker(sql`delete from audit_witness`);
  const bare = await verified(await exported('bare.tar', PERIOD));
  expect(bare.stdout).toContain('login_log: NO WITNESS');
  expect(bare.code).toBe(3);
});

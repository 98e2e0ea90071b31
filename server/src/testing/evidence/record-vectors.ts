// node server/src/testing/evidence/record-vectors.ts: writes docs/evidence-vectors, small evidence
// files with the expected verdict of each.
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createSm2Key } from '../../platform/crypto/sm2.ts';
import { readAuthorities, requestTimestamp } from '../../platform/timestamp/request.ts';
import { startTimestampServer } from '../services/timestamp-server.ts';
import {
  type EvidenceFile,
  forge,
  linesOf,
  packEvidence,
  setLines,
  signEvidence,
} from './evidence-file.ts';

const FOLDER = resolve(import.meta.dirname, '../../../../docs/evidence-vectors');
const DAY = '2026-11-20';
const SESSION = '6f9b2c64-5f0e-4c39-9d5f-2f1a3c0c7a11';
const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');
const sm3 = (content: Buffer) => createHash('sm3').update(content).digest('hex');
/** The key of the example in GM/T 0003.5. */
const SM2_KEY = createSm2Key(
  Buffer.from('3945208f7b2144b13f36e38ac6d39f95889393692860b51a42fb81ef4df7c5b8', 'hex'),
);
const own = await startTimestampServer();
const stranger = await startTimestampServer();

/** The facts of the session, its commands and its recording. */
const factsOf = (...end: readonly (string | boolean | null)[]) => {
  const names = ['', 'Li Wei(li.wei)', 'web-01', 'deploy(deploy)', '', '', '', 'WT', '10.0.0.9'];
  const facts = [3, SESSION, ...names, 'ssh', '2026-11-20 08:21:12.345678', ...end];
  // PostgreSQL writes a blank after each comma.
  return `[${[...facts, 'normal', 'asset', 'none', false].map((one) => JSON.stringify(one)).join(', ')}]`;
};
const FACTS = factsOf('2026-11-20 08:39:58.000001', 'session_finished', true);
const OPEN_FACTS = factsOf(null, null, false);
const COMMANDS = [
  [1, 'id', 'uid=1000(deploy)'],
  [2, 'rm -rf /srv', ''],
].map((command) => {
  const text = JSON.stringify(command);
  return { text, sha256: sha256(text) };
});
const RECORDING = Buffer.from(
  '{"version": 2, "width": 80, "height": 24}\n[0.1, "o", "$ id\\r\\n"]\n',
);

interface Row {
  readonly sequence: number;
  readonly digest: string;
  readonly text: string;
  readonly sm3?: string | undefined;
}

/** Chains rows. `content` has the time of each row as hours and minutes. */
function chainOf(content: readonly (readonly [time: string, facts: object])[]): readonly Row[] {
  const rows: Row[] = [];
  for (const [index, [time, facts]] of content.entries()) {
    const datetime = `${DAY}T${time}:12.345678+00:00`;
    const text = JSON.stringify({ ...facts, datetime, sequence: index + 1 });
    const before = Buffer.from(rows.at(-1)?.digest ?? '', 'hex');
    const digest = sha256(Buffer.concat([before, Buffer.from(text)]));
    rows.push({ sequence: index + 1, digest, text });
  }
  return rows;
}

/** Adds SM3 digests to rows from `first` on, whose digest is an anchor. */
function addSm3(rows: readonly Row[], first: number): readonly Row[] {
  const result: Row[] = [];
  for (const row of rows) {
    const before = result.at(-1)?.sm3;
    const anchor = row.sequence === first ? sm3(Buffer.from(row.digest, 'hex')) : undefined;
    const next = before && sm3(Buffer.concat([Buffer.from(before, 'hex'), Buffer.from(row.text)]));
    result.push({ ...row, sm3: next ?? anchor });
  }
  return result;
}

const signIn = (username: string) => ({ username, ip: '10.0.0.9', status: true });
const SIGN_INS = [
  ['07:30', signIn('zhang.min')],
  ['08:20', signIn('li.wei')],
  ['09:10', signIn('wang.fang')],
  ['09:40', signIn('chen.jie')],
  ['10:15', signIn('zhao.lei')],
] as const;
const ENDED = [
  '08:40',
  {
    session: SESSION,
    version: 3,
    facts_sha256: sha256(FACTS + COMMANDS.map((one) => one.sha256).join('')),
    recording_size: RECORDING.length,
    recording_sha256: sha256(RECORDING),
  },
] as const;
/** Rows that an earlier version wrote too early: before the end, and before the last command. */
const earlyRow = (time: string, facts: string) =>
  [
    time,
    {
      ...ENDED[1],
      facts_sha256: sha256(facts + (COMMANDS[0]?.sha256 ?? '')),
      recording_sha256: null,
    },
  ] as const;
const otherSession = (time: string) =>
  [
    time,
    { session: '0b0f6e58-3a53-4b8e-8d4a-6d1f5a1c2e33', version: 3, facts_sha256: sha256(time) },
  ] as const;

type Logs = Readonly<Record<string, readonly Row[]>>;
const LOGS: Logs = {
  login_log: chainOf(SIGN_INS),
  session_digest: chainOf([otherSession('07:10'), ENDED]),
};

interface Witness {
  readonly time: string;
  /** Time of the token, if it is late; null for no token. */
  readonly signed?: string | null;
  readonly by?: typeof own;
}

/** Makes statements about logs, and has them signed. */
async function witnessesOf(logs: Logs, list: readonly Witness[]): Promise<[string, Buffer][]> {
  const files: [string, Buffer][] = [];
  let previous = '';
  for (const [index, { time, signed = time, by = own }] of list.entries()) {
    const date = `${DAY}T${time}:00.000Z`;
    const heads = Object.entries(logs).flatMap(([log, rows]) => {
      const row = rows.findLast(({ text }) => JSON.parse(text).datetime < date);
      if (!row) return [];
      const { sequence, digest } = row;
      return [{ log, sequence, digest, sm3: row.sm3 && { sequence, digest: row.sm3 } }];
    });
    const statement = JSON.stringify({ format: 'sallyport audit heads 1', date, previous, heads });
    by.time = new Date(`${DAY}T${signed ?? time}:07Z`);
    const authority = { url: by.url, authorities: readAuthorities(by.authority) };
    const token = signed && (await requestTimestamp(authority, statement)).token.toString('base64');
    const id = index + 1;
    files.push([
      `witness/${String(id).padStart(10, '0')}.json`,
      Buffer.from(JSON.stringify({ id, statement, token })),
    ]);
    previous = sha256(statement);
  }
  return files;
}

const HOURS = ['07:55', '08:55', '09:55', '10:55'].map((time) => ({ time }));
const SESSION_FILES: readonly [string, Buffer][] = [
  [`sessions/${SESSION}/session.txt`, Buffer.from(FACTS)],
  [
    `sessions/${SESSION}/commands.jsonl`,
    Buffer.from(COMMANDS.map((one) => `${JSON.stringify(one)}\n`).join('')),
  ],
  [`sessions/${SESSION}/recording`, RECORDING],
];

function logFiles(log: string, rows: readonly Row[], first: number): [string, Buffer][] {
  const { digest = '', sm3: anchor } = rows[first - 2] ?? {};
  const chain = { sequence: first - 1, digest, sm3: anchor };
  const lines = rows.slice(first - 1).map((row) => `${JSON.stringify(row)}\n`);
  return [
    [`logs/${log}/chain.json`, Buffer.from(JSON.stringify(chain))],
    [`logs/${log}/${String(first).padStart(12, '0')}.jsonl`, Buffer.from(lines.join(''))],
  ];
}

/** The log of the session with two early rows. */
const EARLY_LOGS: Logs = {
  session_digest: chainOf([
    otherSession('07:10'),
    earlyRow('08:25', OPEN_FACTS),
    earlyRow('08:35', FACTS),
    ENDED,
  ]),
};

/** Adds a declaration to the files of a session. */
const declaring = (rows: unknown) => (file: EvidenceFile) => {
  file.manifest.format = 'sallyport evidence 2';
  file.files.set(`sessions/${SESSION}/declared.json`, Buffer.from(JSON.stringify({ rows })));
};

const sessionFile = async (logs: Logs, hours: readonly Witness[]) =>
  packEvidence({
    files: new Map([
      ...logFiles('session_digest', logs.session_digest ?? [], 2),
      ...(await witnessesOf(logs, hours)),
      ...SESSION_FILES,
    ]),
    manifest: {
      format: 'sallyport evidence 1',
      range: { session: SESSION },
      parts: [
        {
          log: 'session_digest',
          first: 2,
          last: logs.session_digest?.length ?? 0,
          end: logs.session_digest?.length ?? 0,
        },
      ],
      files: [],
    },
  });

const periodFile = async (logs: Logs, hours: readonly Witness[]) =>
  packEvidence({
    files: new Map([
      ...logFiles('login_log', logs.login_log ?? [], 2),
      ...logFiles('session_digest', logs.session_digest ?? [], 2),
      ...(await witnessesOf(logs, hours)),
      ...SESSION_FILES,
    ]),
    manifest: {
      format: 'sallyport evidence 1',
      range: { from: `${DAY}T08:00:00.000Z`, to: `${DAY}T10:00:00.000Z` },
      parts: [
        { log: 'login_log', first: 2, last: 4, end: 5 },
        { log: 'session_digest', first: 2, last: 2, end: 2 },
      ],
      files: [],
    },
  });

const session = await sessionFile(LOGS, HOURS);
const period = await periodFile(LOGS, HOURS);
const REWRITTEN: Logs = {
  ...LOGS,
  login_log: chainOf(SIGN_INS.map((row, at) => (at === 2 ? [row[0], signIn('chen.jie')] : row))),
};
// The mode of national cryptography began with the second row.
const national = await periodFile({ ...LOGS, login_log: addSm3(LOGS.login_log ?? [], 2) }, HOURS);
const changeSm3 = (value: string | undefined) => (file: EvidenceFile) => {
  const rows = linesOf(file, 'logs/login_log/0').map((line) => JSON.parse(line));
  Object.assign(rows.at(-1), { sm3: value });
  setLines(
    file,
    'logs/login_log/0',
    rows.map((row) => JSON.stringify(row)),
  );
};
const early = await sessionFile(EARLY_LOGS, HOURS);
const declared = forge(early, declaring([2, 3]));
const signedLate = HOURS.map((hour) => ({ ...hour, signed: '23:00' }));
const replaceIn = (name: string, from: string, to: string) => (file: EvidenceFile) => {
  const content = String(file.files.get(name)).replace(from, to);
  file.files.set(name, Buffer.from(content));
};

type Verdict = 'proven' | 'partly' | 'changed' | 'unreadable';
const vectors: readonly (readonly [name: string, bytes: Buffer, verdict: Verdict, says: string])[] =
  [
    ['session', session, 'proven', 'Everything is proven.'],
    ['signed', signEvidence(session, SM2_KEY), 'proven', 'Everything is proven.'],
    [
      'other-signature',
      signEvidence(session, SM2_KEY, ({ range: { session: id }, sm2 }) =>
        Object.assign(sm2 ?? {}, { signature: SM2_KEY.sign(`another text of ${id}`) }),
      ),
      'changed',
      'the signature by SM2 is wrong',
    ],
    [
      'other-sm3',
      signEvidence(session, SM2_KEY, ({ files }) => {
        for (const file of files.slice(-1)) file.sm3 = '0'.repeat(64);
      }),
      'changed',
      `sessions/${SESSION}/recording has another SM3 digest`,
    ],
    ['sm3-rows', national, 'proven', 'Everything is proven.'],
    [
      'other-sm3-row',
      forge(national, changeSm3('0'.repeat(64))),
      'changed',
      'login_log: row 5 has another SM3 digest',
    ],
    [
      'no-sm3-row',
      forge(national, changeSm3(undefined)),
      'changed',
      'login_log: row 5 has another SM3 digest than witness 4',
    ],
    ['period', period, 'proven', 'Everything is proven.'],
    [
      'session-without-token',
      await sessionFile(
        LOGS,
        HOURS.map((hour) => ({ ...hour, signed: null })),
      ),
      'partly',
      'session_digest: NO WITNESS for rows 2 to 2',
    ],
    [
      'changed-command',
      forge(session, replaceIn(`sessions/${SESSION}/commands.jsonl`, 'rm -rf /srv', 'ls -la /srv')),
      'changed',
      `session ${SESSION}: command 2 was changed`,
    ],
    [
      'removed-command',
      forge(session, (file) => {
        const name = `sessions/${SESSION}/commands.jsonl`;
        setLines(file, name, linesOf(file, name).slice(0, 1));
      }),
      'changed',
      `session ${SESSION}: its row or its commands were changed`,
    ],
    [
      'changed-recording',
      forge(session, replaceIn(`sessions/${SESSION}/recording`, 'id', 'ls')),
      'changed',
      `session ${SESSION}: its recording was changed`,
    ],
    ['early-rows', early, 'changed', `session ${SESSION}: its row or its commands were changed`],
    [
      'declared-rows',
      declared,
      'partly',
      `session ${SESSION}: row 2 is declared as written too early; it proves the session before its end, with the first 1 of 2 commands`,
    ],
    [
      'declared-command',
      forge(declared, (file) => {
        const name = `sessions/${SESSION}/commands.jsonl`;
        const [text = ''] = linesOf(file, name);
        setLines(file, name, [...linesOf(file, name), text]);
      }),
      'changed',
      `session ${SESSION}: its row or its commands were changed`,
    ],
    [
      'declared-end',
      forge(early, declaring([2, 3, 4])),
      'partly',
      `session ${SESSION}: row 3 is declared as written too early; it proves the first 1 of 2 commands`,
    ],
    [
      'declared-other-session',
      forge(early, declaring([1, 2, 3])),
      'changed',
      `session ${SESSION}: row 1 is declared, but not a row of this session`,
    ],
    [
      'declared-in-format-1',
      forge(declared, ({ manifest }) => {
        manifest.format = 'sallyport evidence 1';
      }),
      'changed',
      `sessions/${SESSION}/declared.json is not of format 1`,
    ],
    [
      'declaration-without-rows',
      forge(early, declaring('all')),
      'changed',
      `sessions/${SESSION}/declared.json cannot be read`,
    ],
    [
      'no-logs',
      forge(session, ({ manifest }) => {
        manifest.parts = [];
      }),
      'changed',
      'the manifest names no log',
    ],
    [
      'no-session',
      forge(session, ({ files }) => {
        for (const [name] of SESSION_FILES) files.delete(name);
      }),
      'changed',
      `session ${SESSION}: its row is missing`,
    ],
    [
      'no-rows',
      forge(period, (file) => setLines(file, 'logs/login_log/0', [])),
      'changed',
      'login_log: rows 2 to 5 are missing',
    ],
    [
      'rewritten-log',
      forge(period, ({ files }) => {
        for (const [name, content] of logFiles('login_log', REWRITTEN.login_log ?? [], 2))
          files.set(name, content);
      }),
      'changed',
      'login_log: does not match witness 3 of 2026-11-20T09:55:07.000Z; a row from 3 to 4 was changed after it was signed',
    ],
    [
      'rewritten-log-signed-later',
      await periodFile(REWRITTEN, signedLate),
      'partly',
      'login_log: rows 2 to 5 were signed up to 15 hours after they were written',
    ],
    [
      'missing-hour',
      await periodFile(LOGS, [{ time: '07:55' }, { time: '10:55' }]),
      'partly',
      'NO WITNESS from 2026-11-20T07:55:00.000Z to 2026-11-20T10:55:00.000Z: rows of this time may be missing',
    ],
    [
      'shortened-period',
      forge(period, (file) => {
        setLines(file, 'logs/login_log/0', linesOf(file, 'logs/login_log/0').slice(0, 2));
        for (const part of file.manifest.parts) Object.assign(part, { last: 2, end: 2 });
        Object.assign(file.manifest.parts[0] ?? {}, { last: 3, end: 3 });
      }),
      'partly',
      'login_log: rows of the period after row 3 may be missing',
    ],
    [
      'other-authority',
      await sessionFile(
        LOGS,
        HOURS.map((hour) => ({ ...hour, by: stranger })),
      ),
      'changed',
      'witness 1: the certificate does not lead to the given CA',
    ],
    [
      'cut-off',
      session.subarray(0, session.length - 4_096),
      'unreadable',
      'the archive is cut off',
    ],
  ];

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
for (const [name, bytes] of vectors) writeFileSync(join(FOLDER, `${name}.tar`), bytes);
writeFileSync(join(FOLDER, 'ca.pem'), own.authority);
const list = vectors.map(([name, , verdict, says]) => ({ file: `${name}.tar`, verdict, says }));
writeFileSync(join(FOLDER, 'vectors.json'), `${JSON.stringify(list, undefined, 2)}\n`);
await Promise.all([own.stop(), stranger.stop()]);

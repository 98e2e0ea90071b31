import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { unique } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { startClient } from '../../testing/databases/client-programs.ts';
import {
  type DatabaseGrant,
  databasePassword,
  grantDatabase,
} from '../../testing/databases/grant-database.ts';
import { type Mariadb, startMariadb } from '../../testing/databases/mariadb.ts';
import {
  type PostgresServer,
  startPostgres,
  VAULT_ACCOUNT,
  VAULT_PASSWORD,
} from '../../testing/databases/postgres-server.ts';
import { QueryClient } from '../../testing/databases/query-client.ts';
import { type RedisServer, startRedisServer } from '../../testing/databases/redis-server.ts';
import { freePort } from '../../testing/free-port.ts';
import { until } from '../../testing/poll.ts';
import { bearer } from '../../testing/sign-in.ts';
import { MenuClient } from '../../testing/ssh/menu-client.ts';
import { type SshWorld, startSshWorld } from '../../testing/ssh/ssh-world.ts';
import { afterQuiet, TerminalClient } from '../../testing/terminals/terminal-client.ts';

/** The line editor of the shell reads. */
const PROMPT = '\x1b[?2004h';
const WORD = 'second look';
const [DENY, HOLD, CONFIRM, WARN] = [0, 2, 3, 4];

/** Rules by the word that a line has, and the sentence of each. */
const RULES = [
  { content: 'denied-', action: DENY, message: 'Ask the owner of the data.' },
  { content: 'warned-', action: WARN, message: 'Customers notice this.' },
  { content: 'confirmed-', action: CONFIRM, message: 'This stops the service.', word: WORD },
  { content: '(approved|rejected)-', action: HOLD, message: 'This needs a second person.' },
] as const;

/** Lines by their word; the user answers as it says. */
type Case = 'allowed' | 'denied' | 'warned' | 'confirmed' | 'approved' | 'rejected';
/** The logged verdict of a line, and whether it ran. */
type Outcome = readonly [verdict: string, ran: boolean];

const ASKED: Readonly<Record<Case, Outcome>> = {
  allowed: ['none', true],
  denied: ['none', false],
  warned: ['acknowledged', true],
  confirmed: ['confirmed', true],
  approved: ['approved', true],
  rejected: ['rejected', false],
};
/** A client program shows no question, but waits for a reviewer. */
const WAITS: typeof ASKED = {
  ...ASKED,
  warned: ['unasked', false],
  confirmed: ['unasked', false],
};
/** A command without a terminal neither shows a question nor waits. */
const WHOLE: typeof ASKED = {
  ...WAITS,
  approved: ['unasked', false],
  rejected: ['unasked', false],
};

/** An open connection: sends one line, and does what a user does in that case. */
interface Connection {
  send(line: string, of: Case): Promise<void>;
  /** Everything that the user read. */
  read(): string;
  close(): void;
}

let world: SshWorld;
let member: Client;
let postgres: PostgresServer;
let mariadb: Mariadb;
let redis: RedisServer;
const databases: Record<string, DatabaseGrant> = {};

beforeAll(async () => {
  const [postgresqlPort, mysqlPort] = [await freePort(), await freePort()];
  [world, postgres, mariadb, redis] = await Promise.all([
    startSshWorld({ postgresqlPort, mysqlPort }),
    startPostgres(),
    startMariadb(),
    startRedisServer(VAULT_PASSWORD),
  ]);
  member = (await bearer(world.test, world.member)).inOrganization(world.organization);
  const table = 'create table ran (name varchar(100))';
  await postgres.admin(`${table}; grant all on ran to public`);
  mariadb.sql(`create user clerk@'%' identified by '${VAULT_PASSWORD}';
    grant all on shop.* to clerk@'%'; use shop; ${table}`);
  for (const options of [
    { type: 'postgresql', port: postgres.port, database: 'sales', username: VAULT_ACCOUNT },
    { type: 'mariadb', port: mariadb.port, database: 'shop', username: 'clerk' },
    { type: 'redis', port: redis.port, database: '0', username: '' },
  ] as const)
    databases[options.type] = await grantDatabase(world.administrator, world.member.id, {
      ...options,
      password: VAULT_PASSWORD,
    });
  const filter = await world.administrator.post<Json>('assets/cmd-filters/', {
    name: unique('filter'),
    system_users: [
      world.systemUser,
      ...Object.values(databases).map(({ systemUser }) => systemUser),
    ],
  });
  for (const rule of RULES) {
    const path = `assets/cmd-filters/${filter.body.id}/rules/`;
    const { status, text } = await world.administrator.post(path, { type: 'regex', ...rule });
    expect(status, text).toBe(201);
  }
});
afterAll(async () => {
  await world?.stop();
  await Promise.all([postgres?.stop(), mariadb?.stop(), redis?.stop()]);
});

const database = (type: string): DatabaseGrant => {
  const granted = databases[type];
  if (!granted) throw new Error(`there is no database of type ${type}`);
  return granted;
};

/** Decides on the held line as a reviewer. */
async function review(of: Case): Promise<void> {
  let ticket = '';
  await until(async () => {
    const { rows } = await sql<{ id: string }>`
      select id from ticket where type = 'held_command' and status = 'open'`.execute(world.test.db);
    ticket = rows[0]?.id ?? '';
    return ticket !== '';
  }, 'the ticket of the held line');
  const { status, text } = await world.administrator.patch(`tickets/tickets/${ticket}/`, {
    action: of === 'approved' ? 'approve' : 'reject',
  });
  expect(status, text).toBe(200);
}

/** Types lines at a prompt, which a terminal shows, and answers its questions. */
function typing(
  screen: { type(text: string): void; sees(text: string): Promise<void>; read(): string },
  { prompt, end = '' }: { readonly prompt?: string; readonly end?: string },
): Omit<Connection, 'close'> {
  const answers: Readonly<Partial<Record<Case, () => Promise<void>>>> = {
    async warned() {
      await screen.sees('Customers notice this.');
      await afterQuiet();
      screen.type('\r');
    },
    async confirmed() {
      await screen.sees(`Type ${WORD} and press Enter`);
      await afterQuiet();
      screen.type(WORD);
      await screen.sees(WORD);
      screen.type('\r');
    },
    approved: () => review('approved'),
    rejected: () => review('rejected'),
  };
  return {
    async send(line, of) {
      if (prompt) await screen.sees(prompt);
      screen.type(`${line}${end}\r`);
      await answers[of]?.();
    },
    read: screen.read,
  };
}

async function webTerminal(): Promise<Connection> {
  const client = await TerminalClient.connect(
    world.test.program.url.replace(/^http/, 'ws').replace(/\/$/, ''),
    { asset: world.asset, system_user: world.systemUser },
    member.headers,
  );
  const screen = {
    type: (text: string) => client.type(text),
    sees: (text: string) => client.waitFor(text),
    read: () => client.output,
  };
  return { ...typing(screen, { prompt: PROMPT }), close: () => void client.close() };
}

function sshTerminal(login: string, leave: string, how: Parameters<typeof typing>[1]): Connection {
  const client = new MenuClient(world.ssh, { ...world.member, username: login });
  const screen = {
    type: (text: string) => client.type(text),
    sees: (text: string) => client.sees(text),
    read: () => client.output,
  };
  return { ...typing(screen, how), close: () => client.type(`${leave}\r`) };
}

const sshPrompt = (type: string, end: string) => async () => {
  const { accountName, name } = database(type);
  return sshTerminal(`${world.member.username}@${accountName}@${name}`, '\\q', { end });
};

async function openWorkspace(type: string): Promise<QueryClient> {
  const { app, systemUser } = database(type);
  const client = await QueryClient.connect(
    world.test.program.url,
    { app, system_user: systemUser },
    member.headers,
  );
  await client.message('open');
  return client;
}

const workspace = (type: string) => async (): Promise<Connection> => {
  const client = await openWorkspace(type);
  return {
    async send(line, of) {
      const run = client.begin(line);
      if (of === 'warned' || of === 'confirmed') {
        await client.message('ask', run.from);
        client.send({ type: 'answer', yes: true, ...(of === 'confirmed' && { word: WORD }) });
      }
      if (of === 'approved' || of === 'rejected') await review(of);
      await client.finish(run);
    },
    read: () => client.received,
    close: () => client.close(),
  };
};

/** Runs a program for each line, and decides on the line if it is held. */
function programs(run: (line: string) => Promise<string>, waits: boolean): Connection {
  let output = '';
  return {
    async send(line, of) {
      const isHeld = waits && (of === 'approved' || of === 'rejected');
      const [shown] = await Promise.all([run(line), isHeld && review(of)]);
      output += shown;
    },
    read: () => output,
    close: () => undefined,
  };
}

const clientProgram =
  (type: 'postgresql' | 'mariadb', program: string, words: readonly string[]) => async () => {
    const { port, username, password } = await databasePassword(member, database(type));
    const environment = {
      PGHOST: '127.0.0.1',
      PGPORT: String(port),
      PGUSER: username,
      PGPASSWORD: password,
      MYSQL_PWD: password,
    };
    const address = type === 'mariadb' ? ['-P', String(port), '-u', username] : [];
    return programs(async (line) => {
      const { out, err } = await startClient(program, [...words, ...address], environment, line)
        .result;
      return out + err;
    }, true);
  };

const touch = (name: string) => `touch ${join(world.sshd.home, name)}`;
const insert = (name: string) => `insert into ran values ('${name}')`;
const set = (name: string) => `SET ${name} 1`;

const WAYS: readonly {
  readonly name: string;
  readonly line: (name: string) => string;
  readonly open: () => Promise<Connection>;
  readonly outcomes: typeof ASKED;
}[] = [
  { name: 'a web terminal', line: touch, open: webTerminal, outcomes: ASKED },
  {
    name: 'an SSH terminal',
    line: touch,
    open: async () => sshTerminal(world.login, 'exit', { prompt: PROMPT }),
    outcomes: ASKED,
  },
  {
    name: 'a command of an SSH client',
    line: touch,
    open: async () =>
      programs(async (command) => {
        const { password } = world.member;
        return (await world.ssh.run({ login: world.login, password, command })).stderr;
      }, false),
    outcomes: WHOLE,
  },
  ...(
    [
      ['PostgreSQL', 'postgresql', insert, ';'],
      ['MariaDB', 'mariadb', insert, ';'],
      ['Redis', 'redis', set, ''],
    ] as const
  ).flatMap(([product, type, line, end]) => [
    { name: `a workspace of ${product}`, line, open: workspace(type), outcomes: ASKED },
    { name: `the SSH prompt of ${product}`, line, open: sshPrompt(type, end), outcomes: ASKED },
  ]),
  {
    name: 'psql',
    line: insert,
    open: clientProgram('postgresql', 'psql', ['-X', '-d', 'sales']),
    outcomes: WAITS,
  },
  {
    name: 'the client of MariaDB',
    line: insert,
    open: clientProgram('mariadb', 'mariadb', ['--no-defaults', '-h', '127.0.0.1', 'shop']),
    outcomes: WAITS,
  },
];

/** Lines that ran at any of the targets, by their names. */
async function namesAtTargets(names: readonly string[]): Promise<ReadonlySet<string>> {
  const client = await openWorkspace('redis');
  const keys = await client.rows('KEYS *');
  client.close();
  return new Set([
    ...(await postgres.admin('select name from ran')).map(({ name }) => String(name)),
    ...mariadb.sql('select name from shop.ran').split('\n'),
    ...keys.map((row) => String(row.at(-1))),
    ...names.filter((name) => existsSync(join(world.sshd.home, name))),
  ]);
}

it.each(WAYS)('holds and asks as the table says over $name', async ({ line, open, outcomes }) => {
  const connection = await open();
  const cases = Object.keys(outcomes) as Case[];
  const names = new Map(cases.map((of) => [of, unique(of)]));
  const logged = async (name: string) =>
    (
      await sql<{ verdict: string; is_denied: boolean }>`
        select verdict, is_denied from command where strpos(input, ${name}) > 0`.execute(
        world.test.db,
      )
    ).rows;
  for (const [of, name] of names) {
    await connection.send(line(name), of);
    await until(async () => (await logged(name)).length > 0, `${name} is in the log`);
  }
  const ran = await namesAtTargets([...names.values()]);
  const seen = new Map<Case, unknown>();
  for (const [of, name] of names) {
    const rows = await logged(name);
    expect(rows, name).toHaveLength(1);
    expect(rows[0]?.is_denied, name).toBe(!ran.has(name));
    seen.set(of, [rows[0]?.verdict, ran.has(name)]);
  }
  expect(Object.fromEntries(seen)).toEqual(outcomes);
  const sentences = [
    'Ask the owner of the data.',
    'does not allow this: denied-',
    'Customers notice this.',
    'stops the service.',
  ];
  for (const text of sentences) expect(connection.read()).toContain(text);
  connection.close();
});

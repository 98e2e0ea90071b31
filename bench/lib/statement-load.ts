import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Address and account of a database client. */
export interface Place {
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

/** The result of one run of many small statements. */
export interface StatementRun {
  /** Statements a second, connecting left out. */
  readonly rate: number;
  readonly statements: number;
}

const pgbenchWords = ({ port, user, database }: Place, ...words: readonly string[]) => [
  ...['-h', '127.0.0.1', '-p', String(port), '-U', user],
  ...words,
  database,
];
const pgbenchEnvironment = ({ password }: Place) => ({
  PATH: process.env.PATH,
  PGPASSWORD: password,
  PGSSLMODE: 'disable',
});

/** Creates the tables of pgbench. */
export async function preparePgbench(place: Place): Promise<void> {
  await execute('pgbench', pgbenchWords(place, '-i', '-q'), { env: pgbenchEnvironment(place) });
}

/** Runs the point selects of `pgbench -S` for some seconds. */
export async function pgbench(
  place: Place,
  clients: number,
  seconds: number,
): Promise<StatementRun> {
  const words = pgbenchWords(place, '-S', '-n', '-c', String(clients), '-T', String(seconds));
  const { stdout } = await execute('pgbench', words, { env: pgbenchEnvironment(place) });
  return {
    rate: Number(/tps = ([\d.]+)/.exec(stdout)?.[1]),
    statements: Number(/processed: (\d+)/.exec(stdout)?.[1]),
  };
}

/** Clients of `pgbench -S` that work until they are stopped. */
export function busyClients(place: Place, clients: number): { stop(): Promise<void> } {
  const words = pgbenchWords(place, '-S', '-n', '-c', String(clients), '-T', '3600');
  const child: ChildProcess = spawn('pgbench', words, {
    env: pgbenchEnvironment(place),
    stdio: 'ignore',
  });
  return {
    async stop() {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    },
  };
}

/** Runs point selects of MariaDB for about some seconds, by its own load program. */
export async function mariadbSlap(
  place: Place,
  clients: number,
  seconds: number,
): Promise<StatementRun> {
  const run = async (statements: number) => {
    const words = [
      ...['--no-defaults', '--skip-ssl', '-h', '127.0.0.1', '-P', String(place.port)],
      ...['-u', place.user, '--no-drop', `--create-schema=${place.database}`],
      ...['--query=select name from many where id = 5000', `--concurrency=${clients}`],
      `--number-of-queries=${statements}`,
    ];
    const { stdout } = await execute('mariadb-slap', words, {
      env: { PATH: process.env.PATH, MYSQL_PWD: place.password },
    });
    return Number(/Average number of seconds to run all queries: ([\d.]+)/.exec(stdout)?.[1]);
  };
  // The difference of two runs leaves connecting out. The least of two starts, because a start that
  // waited for a processor makes the rate too high.
  const few = clients * 250;
  const start = Math.min(await run(few), await run(few));
  const many = few + Math.max(few, Math.round(((few / start) * seconds) / clients) * clients);
  const whole = await run(many);
  return { rate: (many - few) / (whole - start), statements: many };
}

/** Milliseconds in which `psql` reads rows of the table `many` through a cursor. */
export async function readByCursor(place: Place, rows: number, each: number): Promise<number> {
  const { port, user, database } = place;
  const began = performance.now();
  await execute(
    'psql',
    [
      ...['-X', '-q', '-A', '-t', '-o', '/dev/null', '-v', `FETCH_COUNT=${each}`],
      ...['-d', `host=127.0.0.1 port=${port} user=${user} dbname=${database} sslmode=disable`],
      ...['-c', `select * from many where id <= ${rows}`],
    ],
    { env: pgbenchEnvironment(place) },
  );
  return performance.now() - began;
}

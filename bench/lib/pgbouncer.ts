import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  startPostgres,
  VAULT_ACCOUNT,
  VAULT_PASSWORD,
} from '../../server/src/testing/databases/postgres-server.ts';
import { freePort } from '../../server/src/testing/free-port.ts';
import { percentile } from './figure.ts';
import { type Place, pgbench, preparePgbench } from './statement-load.ts';

const TURNS = 3;
const SECONDS = 3;
/** It refuses to run as root. */
const ACCOUNT = 'nobody';

/**
 * Returns the rate of `pgbench -S` through PgBouncer, as a share of the direct one, by the number
 * of clients. `program` is its path.
 */
export async function rateOfPgbouncer(
  program: string,
  folder: string,
  clients: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const postgres = await startPostgres();
  const direct: Place = {
    port: postgres.port,
    user: VAULT_ACCOUNT,
    password: VAULT_PASSWORD,
    database: 'sales',
  };
  const pooler = await start(program, folder, direct);
  try {
    await preparePgbench(direct);
    const shares = new Map<number, number>();
    for (const count of clients) {
      const taken: number[] = [];
      for (let turn = 0; turn < TURNS; turn++) {
        const { rate } = await pgbench(direct, count, SECONDS);
        taken.push((await pgbench(pooler.place, count, SECONDS)).rate / rate);
      }
      shares.set(count, percentile(taken, 0.5));
    }
    return shares;
  } finally {
    await pooler.stop();
    await postgres.stop();
  }
}

async function start(program: string, folder: string, { port, user, password, database }: Place) {
  const listen = await freePort();
  const users = join(folder, 'users.txt');
  const config = join(folder, 'pgbouncer.ini');
  await writeFile(users, `"${user}" "${password}"\n`, { mode: 0o644 });
  await writeFile(
    config,
    [
      '[databases]',
      `${database} = host=127.0.0.1 port=${port} user=${user} password='${password}'`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${listen}`,
      'unix_socket_dir =',
      'auth_type = scram-sha-256',
      `auth_file = ${users}`,
      'pool_mode = session',
    ].join('\n'),
    { mode: 0o644 },
  );
  await chmod(folder, 0o755);
  const words = process.getuid?.() === 0 ? ['-u', ACCOUNT] : [];
  const child = spawn(program, ['-q', ...words, config], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  for (let isUp = false; !isUp; await sleep(50)) {
    if (child.exitCode !== null) throw new Error('PgBouncer ended before it listened');
    isUp = await listens(listen);
  }
  return {
    place: { port: listen, user, password, database },
    async stop() {
      child.kill('SIGINT');
      await ended;
    },
  };
}

/** Returns true if the port takes connections. */
function listens(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.end();
      done(true);
    });
    socket.once('error', () => done(false));
  });
}

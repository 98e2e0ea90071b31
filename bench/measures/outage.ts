import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabasePassword } from '@sallyport/contract';
import pg from 'pg';
import { freePort } from '../../server/src/gateway/testing/free-port.ts';
import {
  startPostgres,
  VAULT_ACCOUNT,
  VAULT_PASSWORD,
} from '../../server/src/gateway/testing/postgres-server.ts';
import { startSshd } from '../../server/src/gateway/testing/sshd.ts';
import { startEmbedded } from '../../server/src/platform/db/embedded.ts';
import { startCuttingProxy, throughPort } from '../../server/src/testing/cutting-proxy.ts';
import { until } from '../../server/src/testing/poll.ts';
import { ADMIN_PASSWORD } from '../generate/sizes.ts';
import { atMost, type Figure, percentile } from '../lib/figure.ts';
import { signIn } from '../lib/http.ts';
import {
  databaseWorker,
  sshWorker,
  uploadWorker,
  type Worker,
  webWorker,
} from '../lib/outage-clients.ts';
import { startServer } from '../lib/server.ts';
import type { World } from '../lib/world.ts';

const COUNTS = { web: 20, ssh: 5, psql: 5, upload: 2 } as const;
const UPLOAD_BYTES = 1024 * 1024;
/** Before and after the database is away. */
const AROUND_MS = 5_000;
const PAUSE_MS = 1_000;
const SETTLED_MS = 60_000;
/** Reasons of sessions that their users have ended. */
const TRUE_REASONS = ['session_finished', 'connect_target_closed'];

/** Sessions while the database is away, for 10 and for 60 seconds; `--stage 10` takes one of them. */
export async function outage(world: World): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const seconds of [10, 60])
    if (world.stage === '' || world.stage === String(seconds))
      figures.push(...(await drill(world, seconds)));
  return figures;
}

async function drill(world: World, seconds: number): Promise<Figure[]> {
  const folder = world.folder();
  const place = (name: string) => {
    const path = join(folder, name);
    mkdirSync(path, { mode: 0o711 });
    return path;
  };
  const [embedded, sshd, postgres, sshPort, postgresqlPort] = [
    await startEmbedded(place('database')),
    await startSshd(),
    await startPostgres(),
    await freePort(),
    await freePort(),
  ];
  const address = throughPort(embedded.url);
  const proxy = await startCuttingProxy({ path: address.path });
  const environment = {
    SALLYPORT_DATABASE_URL: address.at(proxy.port),
    SALLYPORT_POSTGRESQL_PORT: String(postgresqlPort),
  };
  const server = await startServer(place('server'), ADMIN_PASSWORD, { sshPort, environment });
  const direct = new pg.Client({ connectionString: embedded.url });
  await direct.connect();
  const workers: Worker[] = [];
  try {
    const admin = await signIn(server.url, 'admin', ADMIN_PASSWORD);
    const make = async (path: string, body: unknown) =>
      (await admin.post<{ id: string }>(path, body)).id;
    const { id: me } = await admin.get<{ id: string }>('users/profile/');
    const asset = await make('assets/assets/', {
      hostname: 'target',
      ip: sshd.host,
      platform: 'Linux',
      protocols: [`ssh/${sshd.port}`],
    });
    const account = {
      name: 'target',
      username: sshd.username,
      private_key: sshd.privateKey,
      auto_push: false,
      sftp_root: '/tmp',
    };
    const systemUser = await make('assets/system-users/', account);
    await make('perms/asset-permissions/', {
      name: 'outage',
      users: [me],
      assets: [asset],
      system_users: [systemUser],
    });
    const app = await make('applications/database-apps/', {
      name: 'sales',
      type: 'postgresql',
      host: '127.0.0.1',
      port: postgres.port,
      database: 'sales',
    });
    const vault = {
      name: 'sales',
      username: VAULT_ACCOUNT,
      login_mode: 'auto',
      protocol: 'postgresql',
      password: VAULT_PASSWORD,
    };
    const databaseAccount = await make('assets/system-users/', vault);
    await make('perms/database-app-permissions/', {
      name: 'outage',
      users: [me],
      database_apps: [app],
      system_users: [databaseAccount],
    });
    const login = await admin.post<DatabasePassword>('terminal/databases/passwords/', {
      database_app: app,
      system_user: databaseAccount,
    });
    const ssh = { port: sshPort, username: 'admin@target@target', password: ADMIN_PASSWORD };
    const ids = { asset, system_user: systemUser };
    for (let number = 0; number < COUNTS.web; number++)
      workers.push(await webWorker(`web${number}`, server.url, admin.token, ids));
    for (let number = 0; number < COUNTS.ssh; number++)
      workers.push(await sshWorker(`ssh${number}`, ssh));
    for (let number = 0; number < COUNTS.upload; number++)
      workers.push(await uploadWorker(`upload${number}`, ssh, UPLOAD_BYTES));
    const database = {
      port: login.port,
      user: login.username,
      password: login.password,
      database: 'sales',
    };
    for (let number = 0; number < COUNTS.psql; number++)
      workers.push(await databaseWorker(`psql${number}`, database));
    world.say(`  ${workers.length} clients work; the database goes away for ${seconds} s`);

    const end = performance.now() + 2 * AROUND_MS + seconds * 1000;
    const times: number[] = [];
    const failures: string[] = [];
    const working = workers.map(async (worker) => {
      for (let number = 1; performance.now() < end && worker.isOpen; number++) {
        const began = performance.now();
        await worker
          .work(number)
          .catch((error: unknown) =>
            failures.push(error instanceof Error ? error.message : String(error)),
          );
        times.push(performance.now() - began);
        await sleep(PAUSE_MS);
      }
    });
    await sleep(AROUND_MS);
    proxy.cut();
    await sleep(seconds * 1000);
    proxy.restore();
    await Promise.all(working);
    const lost = workers.filter(({ isOpen }) => !isOpen).length;
    for (const failure of new Set(failures)) world.say(`  ${failure}`);
    for (const worker of workers) await worker.close();

    const count = async (text: string, values: unknown[] = []) =>
      Number((await direct.query<{ count: string }>(text, values)).rows[0]?.count);
    const live = () => count('select count(*) from session where not is_finished');
    await until(async () => (await live()) === 0, 'no row is open', SETTLED_MS).catch(
      () => undefined,
    );
    const commands = new Set(
      (await direct.query<{ input: string }>('select input from command')).rows.map(
        ({ input }) => input,
      ),
    );
    const files = new Set(
      (
        await direct.query<{ filename: string }>(
          "select filename from ftp_log where operate = 'Upload'",
        )
      ).rows.map(({ filename }) => filename),
    );
    const answered = workers.flatMap((worker) => worker.answered);
    const missing = answered.filter((text) =>
      text.startsWith('/')
        ? ![...files].some((name) => name.endsWith(text.split('/').at(-1) ?? ''))
        : !commands.has(text),
    );
    for (const text of missing.slice(0, 5)) world.say(`  missing: ${text}`);
    const wrong = await direct.query<{ end_reason: string; count: string }>(
      'select end_reason, count(*) from session where end_reason <> all ($1::text[]) group by end_reason',
      [TRUE_REASONS],
    );
    for (const row of wrong.rows) world.say(`  ended with ${row.end_reason}: ${row.count}`);
    const name = (what: string) => `${what}, database away ${seconds} s`;
    admin.close();
    return [
      {
        name: name('Sessions lost'),
        value: lost,
        unit: '',
        budget: atMost(0),
        note: `of ${workers.length}`,
      },
      {
        name: name('Commands, statements and uploads missing'),
        value: missing.length,
        unit: '',
        budget: atMost(0),
        note: `of ${answered.length} that were answered`,
      },
      { name: name('Rows left open'), value: await live(), unit: '', budget: atMost(0) },
      {
        name: name('Sessions with a false reason'),
        value: wrong.rows.reduce((sum, row) => sum + Number(row.count), 0),
        unit: '',
        budget: atMost(0),
      },
      {
        name: name('Answer of a command or statement, p95'),
        value: percentile(times, 0.95),
        unit: 'ms',
      },
    ];
  } finally {
    for (const worker of workers) await worker.close().catch(() => undefined);
    await server.stop();
    await direct.end();
    await proxy.stop();
    await Promise.allSettled([embedded.stop(), sshd.stop(), postgres.stop()]);
  }
}

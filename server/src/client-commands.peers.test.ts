import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  mysqlCommand,
  mysqlOptionFile,
  psqlCommand,
  scpCommand,
  shellText,
  sshCommand,
  sshText,
} from '@sallyport/contract';
import { limitOf, runs } from '@sallyport/property-runs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Mariadb, startMariadb } from './testing/databases/mariadb.ts';
import { type PostgresServer, startPostgres } from './testing/databases/postgres-server.ts';
import { requirePeers } from './testing/peers.ts';

// The programs run in a folder in which an injected command would create a file.
const MARKER = 'PWNED';
const TOUCH = `touch ${MARKER}`;

let folder: string;
let mariadb: Mariadb;
let postgres: PostgresServer;
beforeAll(async () => {
  requirePeers('openssh-client', 'postgresql');
  folder = mkdtempSync(join(tmpdir(), 'sallyport-commands-'));
  [mariadb, postgres] = await Promise.all([startMariadb(), startPostgres()]);
  mariadb.sql(
    "create user client@'127.0.0.1' identified by 'pw'; grant all on *.* to client@'127.0.0.1'",
  );
  await postgres.admin("create role client login password 'pw'");
});
afterAll(async () => {
  await mariadb?.stop();
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
});

function run(program: string, args: readonly string[], more: NodeJS.ProcessEnv = {}) {
  const { stdout, stderr } = spawnSync(program, args, {
    cwd: folder,
    encoding: 'utf8',
    input: '',
    env: { PATH: '/usr/bin:/bin', HOME: folder, LANG: 'C.UTF-8', ...more },
  });
  expect(existsSync(join(folder, MARKER))).toBe(false);
  return { stdout, stderr };
}

/** Values that are an option, a command or a connection string to a program that misreads them. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...['-e\\! ', '-e', '--init-command=', '--pager=', '-oProxyCommand=', '-F', '--', '-'],
        ...['host=', 'dbname=', 'postgresql://', '$(', '`', ';', '|', '&', "'", '"', '\\', ' '],
        ...[TOUCH, '%h', '@', ':', '[', ']', '#', '!', '\\!', '=', '数据'],
      ),
      fc.string({ unit: 'grapheme-ascii', maxLength: 3 }),
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((parts) => parts.join('').trim())
  .filter((text) => text !== '' && Buffer.byteLength(text) <= 60);

it('opens a database of any name with mariadb, and runs nothing of the name', {
  timeout: limitOf(300_000),
}, () => {
  const file = join(folder, 'client.cnf');
  const account = { host: '127.0.0.1', port: mariadb.port, user: 'client', password: 'pw' };
  fc.assert(
    fc.property(hostile, (database) => {
      mariadb.sql(`create database if not exists \`${database.replaceAll('`', '``')}\``);
      const place = { host: account.host, port: account.port, username: account.user, database };
      const { args } = mysqlCommand('mariadb', place, false);
      // The file has the password, and sallyctl also puts the name of the database there.
      for (const [options, words] of [
        [account, args.filter((word) => word !== '--password')],
        [{ ...account, database }, []],
      ] as const) {
        writeFileSync(file, mysqlOptionFile(options));
        const { stdout, stderr } = run('mariadb', [
          ...[`--defaults-extra-file=${file}`, ...words, '-BNre', 'select database()'],
        ]);
        expect([stdout, stderr]).toEqual([`${database}\n`, '']);
      }
    }),
    { ...runs(40), examples: [[`-e\\! ${TOUCH}`], ['--help'], ['-e'], ['a\\nb'], ['$x']] },
  );
});

it('opens a database of any name with psql', { timeout: limitOf(300_000) }, async () => {
  await fc.assert(
    fc.asyncProperty(hostile, async (database) => {
      await postgres.admin(`drop database if exists "${database.replaceAll('"', '""')}"`);
      await postgres.admin(
        `create database "${database.replaceAll('"', '""')}" template template0 strategy file_copy`,
      );
      const place = { host: '127.0.0.1', port: postgres.port, username: 'client', database };
      const { args } = psqlCommand(place, false);
      const select = ['-XAtc', 'select current_database()'];
      const byString = run('psql', [...args, ...select], { PGPASSWORD: 'pw' });
      // sallyctl names the database in the environment.
      const { stdout } = run('psql', select, {
        PGHOST: place.host,
        PGPORT: String(place.port),
        PGUSER: place.username,
        PGPASSWORD: 'pw',
        PGDATABASE: database,
      });
      await postgres.admin(`drop database "${database.replaceAll('"', '""')}"`);
      expect([byString.stdout, stdout]).toEqual([`${database}\n`, `${database}\n`]);
    }),
    { ...runs(12), examples: [['host=127.0.0.9 x'], ['-c \\! touch PWNED'], ["a\\' b"]] },
  );
});

it('runs nothing of a host, a login or a file with ssh and scp', {
  timeout: limitOf(300_000),
}, () => {
  const settings = { ConnectTimeout: '1', BatchMode: 'yes' };
  fc.assert(
    fc.property(hostile, hostile, (host, file) => {
      // Port 1 of loopback refuses; other hosts are none.
      const place = { host, port: 1, login: 'client' };
      run('ssh', sshCommand(place, settings, ['-T', 'true']).args);
      const local = { host: '127.0.0.1', port: 1, login: 'client' };
      const words = ['-p', '--', file, 'far:'];
      const operandOf = (name: string) => (name === 'far:' ? '127.0.0.1:' : name);
      run('scp', scpCommand(local, settings, words, operandOf).args);
    }),
    { ...runs(20), examples: [[`-oProxyCommand=${TOUCH}`, `-oProxyCommand=${TOUCH}`]] },
  );
});

it('gives options, login and port to ssh, and a login in any form as an address', () => {
  const place = { host: 'bastion.example.com', port: 2222, login: 'alice@root@web1' };
  const settings = { StrictHostKeyChecking: 'yes' };
  const words = ['-G', '-L', '8080:x:80', '-oStrictHostKeyChecking=no', '-vp', '22', 'echo', '-n'];
  const { stdout } = run('ssh', sshCommand(place, settings, words).args);
  for (const fact of ['user alice@root@web1', 'port 2222', 'hostname bastion.example.com'])
    expect(`\n${stdout}`).toContain(`\n${fact}\n`);
  expect(stdout).toContain('\nstricthostkeychecking true\n');
  expect(stdout).toContain('\nlocalforward 8080 [x]:80\n');
  for (const login of ["o'neil", 'a b', 'alice$(touch PWNED)', 'al"ice', 'alice%h', '数据@root']) {
    const text = sshText({ ...place, login }).replace('ssh ', 'ssh -TG ');
    const { stdout: read, stderr } = run('sh', ['-c', text]);
    // OpenSSH 9.2 of Debian 12 itself refuses names with characters of a shell.
    if (stderr === '') expect(read).toContain(`user ${login}\n`);
    else expect(stderr).toBe('remote username contains invalid characters\r\n');
  }
});

it('gives the words of a displayed command to the program unchanged', () => {
  fc.assert(
    fc.property(fc.array(hostile, { maxLength: 4 }), (args) => {
      const text = shellText({ program: 'show', args });
      if (text === undefined) return;
      const { stdout } = run('sh', ['-c', `show() { printf '<%s>' "$@"; }\n${text}`]);
      expect(stdout).toBe(args.length === 0 ? '<>' : args.map((word) => `<${word}>`).join(''));
    }),
    runs(200),
  );
});

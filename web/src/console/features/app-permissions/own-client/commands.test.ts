import { describe, expect, test } from 'vitest';
import { commandsFor } from './commands.ts';

const issued = {
  host: 'bastion.example.com',
  port: 5433,
  username: 'alice@reports@sales',
  database: 'sales',
  tls: true,
} as const;
const odd = { ...issued, username: 'al ice@a@b', database: 'sales 2026', tls: false };

describe('the commands that connect with a client of one’s own', () => {
  test('name everything but the password', () => {
    expect(commandsFor({ ...issued, protocol: 'postgresql' })).toEqual([
      {
        name: 'psql',
        command:
          'psql "host=bastion.example.com port=5433 user=alice@reports@sales dbname=sales sslmode=require"',
      },
    ]);
    expect(commandsFor({ ...issued, protocol: 'mysql' }).map(({ command }) => command)).toEqual([
      'mysql --ssl-mode=REQUIRED --host=bastion.example.com --port=5433 --user=alice@reports@sales --password --database=sales',
      'mariadb --ssl --host=bastion.example.com --port=5433 --user=alice@reports@sales --password --database=sales',
    ]);
  });

  test('quote names for the shell and for the connection string', () => {
    expect(commandsFor({ ...odd, protocol: 'postgresql' })[0]?.command).toBe(
      `psql "host=bastion.example.com port=5433 user='al ice@a@b' dbname='sales 2026'"`,
    );
    expect(commandsFor({ ...odd, protocol: 'mysql' })[1]?.command).toBe(
      'mariadb --host=bastion.example.com --port=5433 "--user=al ice@a@b" --password "--database=sales 2026"',
    );
  });

  test.each(['订单', 'каталог', 'ügé', 'हिन्दी'])('quote the name %s', (database) => {
    expect(commandsFor({ ...issued, database, protocol: 'mysql' })[0]?.command).toMatch(
      new RegExp(` "--database=${database}"$`),
    );
  });

  test.each([
    '-e\\! touch x',
    '--init-command=drop',
    'a\nb',
    'a\u0085b',
    '\u202eb',
    // No quotes of sh, PowerShell and cmd agree on these.
    "a'; touch x; '$(y)",
    '\u201c; calc; \u201d',
    '$x & calc',
    // Programs of Windows may receive a quote, a backslash or a hyphen for these.
    'a\uff02 -e\uff02\\! calc',
    'a\u02ba --init-command=x',
    'a\u2032b',
    'a\u030eb',
    'a\u00a5b',
    '\u2010e',
    // Invisible: the name of another database, to the eye.
    'sales\u200b',
    'sales\u{e0041}',
  ])('are left out for the database %j', (database) => {
    expect(commandsFor({ ...issued, database, protocol: 'mysql' })).toEqual([]);
    expect(commandsFor({ ...issued, database, protocol: 'postgresql' })).toEqual([]);
  });
});

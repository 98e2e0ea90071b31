import { describe, expect, test } from 'vitest';
import { commandsFor } from './commands.ts';

const issued = {
  host: 'bastion.example.com',
  port: 5433,
  username: 'alice@reports@sales',
  database: 'sales',
  tls: true,
} as const;

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
      'mysql --ssl-mode=REQUIRED -h bastion.example.com -P 5433 -u alice@reports@sales -p sales',
      'mariadb --ssl -h bastion.example.com -P 5433 -u alice@reports@sales -p sales',
    ]);
  });

  test('quote names for the shell and for the connection string', () => {
    const odd = { ...issued, username: "al ice's@a@b", database: '$(x)', tls: false };
    expect(commandsFor({ ...odd, protocol: 'postgresql' })[0]?.command).toBe(
      `psql 'host=bastion.example.com port=5433 user='\\''al ice\\'\\''s@a@b'\\'' dbname='\\''$(x)'\\'''`,
    );
    expect(commandsFor({ ...odd, protocol: 'mysql' })[1]?.command).toBe(
      `mariadb -h bastion.example.com -P 5433 -u "al ice's@a@b" -p '$(x)'`,
    );
  });
});

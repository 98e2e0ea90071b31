import { expect } from 'vitest';
import { Client } from './client.ts';
import { ADMIN_PASSWORD, type Command, type useCommands } from './command.ts';
import { runOperatorCommandIn } from './operator-command.ts';

type Commands = ReturnType<typeof useCommands>;
type Variables = Readonly<Record<string, string>>;

async function stop({ child, ended }: Command): Promise<void> {
  child.kill('SIGTERM');
  await ended;
}

/** Starts the server on a database, runs `work` as administrator, and stops the server. */
export async function whileServing(
  { start }: Commands,
  variables: Variables,
  work: (admin: Client) => Promise<void>,
): Promise<void> {
  const command = start(variables);
  const visitor = new Client(await command.ready());
  const { body } = await visitor.post<{ token: string }>('authentication/auth/', {
    username: 'admin',
    password: ADMIN_PASSWORD,
  });
  await work(visitor.with({ authorization: `Bearer ${body.token}`, 'accept-language': 'en' }));
  await stop(command);
}

/** Moves the database of a stopped server; expects success. */
export async function moveTo(
  { folder }: Commands,
  target: string,
  variables: Variables = {},
): Promise<string> {
  const moved = await runOperatorCommandIn(folder(), ['database', 'move', target], variables);
  expect(moved).toMatchObject({ code: 0, stderr: '' });
  return moved.stdout;
}

/** Moves an installation to another server of PostgreSQL and back, and expects all of it there. */
export async function expectRoundTrip(commands: Commands, url: string): Promise<void> {
  const there = { SALLYPORT_DATABASE_URL: url };
  const names = async (admin: Client) => {
    const { body } = await admin.get<{ results: { hostname: string }[] }>(
      'assets/assets/?limit=10&order=hostname',
    );
    return body.results.map(({ hostname }) => hostname);
  };
  const add = (admin: Client, hostname: string) =>
    admin.post('assets/assets/', {
      hostname,
      ip: '192.0.2.1',
      protocols: ['ssh/22'],
      platform: 'Linux',
    });
  await whileServing(commands, {}, async (admin) => {
    expect((await add(admin, 'first')).status).toBe(201);
  });
  expect(await moveTo(commands, url)).toMatch(
    /database: \d+ tables, \d+ rows; all are equal in both databases\n/,
  );
  await whileServing(commands, there, async (admin) => {
    expect(await names(admin)).toEqual(['first']);
    expect((await add(admin, 'second')).status).toBe(201);
  });
  await moveTo(commands, 'embedded', there);
  await whileServing(commands, {}, async (admin) => {
    expect((await names(admin)).sort()).toEqual(['first', 'second']);
  });
  const verified = await runOperatorCommandIn(commands.folder(), ['audit', 'verify']);
  expect(verified).toMatchObject({ code: 0, stderr: '' });
}

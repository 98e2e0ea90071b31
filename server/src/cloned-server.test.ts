import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Client, type Json } from './testing/client.ts';
import { useCommands } from './testing/command.ts';
import { runOperatorCommandIn } from './testing/operator-command.ts';
import { createTestDatabase, type TestDatabase } from './testing/test-database.ts';

const KEY = 'a'.repeat(64);
const { folder, start } = useCommands();
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase('empty');
});
afterAll(() => database.drop());

const variables = (name: string) => ({
  SALLYPORT_DATABASE_URL: database.url,
  SALLYPORT_SECRET_KEY: KEY,
  SALLYPORT_DATA_DIR: join(folder(), name),
});

it('refuses to start a copy of a running server, which works with a new identity', async () => {
  const original = start(variables('one'));
  const visitor = new Client(await original.ready());
  await cp(join(folder(), 'one'), join(folder(), 'copy'), {
    recursive: true,
    filter: (path) => !path.endsWith('sallyport.lock'),
  });
  const refused = start(variables('copy'));
  expect(await refused.ended).toBe(78);
  expect(refused.output()).toMatch(
    /^Sallyport cannot start\. A server with the identity of this data folder \(server\.id\) runs at 127\.0\.0\.1:\d+\. .*: npm run sallyport -- server new-identity\. /m,
  );

  const journal = join(folder(), 'copy', 'recordings', '.journal');
  await mkdir(journal, { recursive: true });
  await writeFile(join(journal, '0000000001-0a0b0c0d'), 'of the original');
  const former = (await readFile(join(folder(), 'one', 'server.id'), 'utf8')).trim();
  const command = (name: string, environment = {}) =>
    runOperatorCommandIn(join(folder(), name), ['server', 'new-identity'], {
      ...variables(name),
      ...environment,
    });
  expect(await command('one')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is using'),
  });
  expect(await command('copy', { SALLYPORT_DATABASE_URL: '' })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('belongs to this data folder alone'),
  });
  expect(await command('none')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is not there'),
  });
  const renewed = (await command('copy')).stdout;
  expect(renewed).toContain(`This server was ${former} and is now `);
  expect((await readdir(join(folder(), 'copy', 'recordings'))).toSorted()).toContain(
    `.of-${former}.journal`,
  );
  expect(renewed).toContain((await readFile(join(folder(), 'copy', 'server.id'), 'utf8')).trim());

  const copy = start(variables('copy'));
  await copy.ready();
  const { body } = await visitor.post<{ token: string }>('authentication/auth/', {
    username: 'admin',
    password: 'of the command',
  });
  const admin = visitor.with({ authorization: `Bearer ${body.token}` });
  const terminals = (await admin.get<Json[]>('terminal/terminals/')).body;
  expect(terminals.map(({ is_alive: alive }) => alive)).toEqual([true, true]);
});

it('starts again after it was killed, also with another folder path', async () => {
  const first = start(variables('two'));
  await first.ready();
  first.child.kill('SIGKILL');
  await first.ended;
  await cp(join(folder(), 'two'), join(folder(), 'moved'), { recursive: true });
  const moved = start(variables('moved'));
  expect((await fetch(new URL('/api/health/', await moved.ready()))).status).toBe(200);
});

import type { BatchProgress } from '@sallyport/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildUser, unique } from '../../testing/builders.ts';
import type { Client } from '../../testing/client.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
});
afterAll(() => test.stop());

const ROWS = 4_000;
const NAME = '0123456789abcdef0123456789abcdef';
const of = async (client: Client, name = NAME) => (await client.get<BatchProgress>(`common/progress/?name=${name}`)).body;

it('of a running batch is told to whoever sent it, and to nobody else', async () => {
  const stranger = await bearer(test, await buildUser(test.db));
  const start = unique('counted');
  const file = ['name,value', ...Array.from({ length: ROWS }, (_, row) => `${start}-${row},x`)].join('\r\n');
  let isOver = false;
  const sent = admin.send('POST', `assets/labels/?dry_run=1&progress=${NAME}`, file, 'text/csv').finally(() => {
    isOver = true;
  });
  const mine: BatchProgress[] = [];
  const theirs: BatchProgress[] = [];
  while (!isOver) {
    mine.push(await of(admin));
    theirs.push(await of(stranger));
  }
  expect((await sent).status).toBe(201);
  const seen = mine.filter(({ total }) => total > 0);
  expect(seen.every(({ done, total }) => total === ROWS && done >= 0 && done <= ROWS)).toBe(true);
  expect(seen.some(({ done }) => done > 0 && done < ROWS)).toBe(true);
  expect(seen.map(({ done }) => done)).toEqual(seen.map(({ done }) => done).toSorted((one, other) => one - other));
  expect(theirs.filter(({ total }) => total > 0)).toEqual([]);
  expect(await of(admin)).toEqual({ done: 0, total: 0 });
});

it.each(['', 'x', '0123', `${NAME}0`, '../../etc'])('of the name %j is nothing', async (name) => {
  await admin.send('POST', `assets/labels/?dry_run=1&progress=${encodeURIComponent(name)}`, 'name,value\r\na,b', 'text/csv');
  expect(await of(admin, encodeURIComponent(name))).toEqual({ done: 0, total: 0 });
});

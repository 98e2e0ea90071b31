import { afterAll, beforeAll, expect, it } from 'vitest';
import { bearer, browser } from '../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../testing/test-program.ts';

let test: TestProgram;
beforeAll(async () => {
  test = await startTestProgram();
});
afterAll(() => test.stop());

it('works', async () => {
  const client = await bearer(test);
  const { status, body } = await client.post('assets/labels/', { name: 'a', value: 'b' });
  expect([status, body]).toEqual([201, expect.objectContaining({ name: 'a' })]);
  const other = await browser(test);
  expect((await other.post('assets/labels/', { name: 'a', value: 'c' })).status).toBe(201);
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { reasonToStop } from './reason-to-stop.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sallyport-stop-'));
});
afterAll(() => rm(folder, { recursive: true }));

it.each([
  [true, 'session_server_stopping'],
  [false, 'session_database_away'],
])('ends sessions of a stopping server whose database answers (%s) with %s', async (isUp, code) => {
  expect(await reasonToStop(folder, async () => isUp)).toBe(code);
});

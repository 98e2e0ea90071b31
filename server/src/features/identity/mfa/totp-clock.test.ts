import { afterAll, beforeAll, expect, it } from 'vitest';
import { createVault, directKey } from '../../../platform/crypto/vault.ts';
import { type Database, openDatabase } from '../../../platform/db/database.ts';
import { buildUser } from '../../../testing/builders.ts';
import { codeOf } from '../../../testing/second-factors.ts';
import { withShiftedClock } from '../../../testing/shifted-clock.ts';
import { createTestDatabase, type TestDatabase } from '../../../testing/test-database.ts';
import { createTotp } from './totp.ts';

let place: TestDatabase;
let database: Database;
beforeAll(async () => {
  place = await createTestDatabase();
  database = openDatabase(place.url, 2);
});
afterAll(async () => {
  await database?.close();
  await place?.drop();
});

it('takes codes after the clock was ahead and is put right, each of them once', async () => {
  const { db } = database;
  const totp = createTotp(db, createVault(directKey(Buffer.alloc(32, 7))));
  const user = await buildUser(db);
  const { secret } = await totp.begin('holder', { id: user.id, username: user.username });
  expect(
    await db.transaction((tx) => totp.confirm('holder', user.id, codeOf(secret, -1), tx)),
  ).toBe(true);
  // The codes stay the same when a step of 30 seconds begins meanwhile.
  const [current, next] = [codeOf(secret), codeOf(secret, 1)];
  expect(await totp.use(user.id, current)).toBe(true);
  for (const hours of [2, 24 * 150]) {
    await withShiftedClock(hours, async () => {
      const later = codeOf(secret);
      expect(await totp.use(user.id, later)).toBe(true);
      expect(await totp.use(user.id, later)).toBe(false);
    });
    expect(await totp.use(user.id, next)).toBe(true);
    for (const code of [next, current]) expect(await totp.use(user.id, code)).toBe(false);
  }
});

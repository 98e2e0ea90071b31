import { type Lasting, validityOf } from '@sallyport/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildAppPermission } from '../../testing/app-builders.ts';
import { buildOrganization, buildPermission } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

let test: TestProgram;
let admin: Client;
let organization: string;
beforeAll(async () => {
  test = await startTestProgram();
  organization = await buildOrganization(test.db);
  admin = (await bearer(test)).inOrganization(organization);
});
afterAll(() => test.stop());

const HOUR = 3_600_000;
const within = (hours: number) => new Date(Date.now() + hours * HOUR);
/** Hours of start and end around now. */
const PERIODS = [
  [-2, 2],
  [1, 2],
  [-2, -1],
] as const;

describe.each([
  [
    'asset permissions',
    'perms/asset-permissions/',
    (terms: { isActive: boolean; start: Date; end: Date }) =>
      buildPermission(test.db, { organization, ...terms }),
  ],
  [
    'database permissions',
    'perms/database-app-permissions/',
    (terms: { isActive: boolean; start: Date; end: Date }) =>
      buildAppPermission(test.db, 'database_app', { organization, ...terms }),
  ],
  [
    'remote app permissions',
    'perms/remote-app-permissions/',
    (terms: { isActive: boolean; start: Date; end: Date }) =>
      buildAppPermission(test.db, 'remote_app', { organization, ...terms }),
  ],
] as const)('the state of %s', (_, path, build) => {
  it('equals the state in the console in list, detail and file, and only a valid one matches is_valid', async () => {
    const ids: string[] = [];
    for (const isActive of [true, false])
      for (const [start, end] of PERIODS)
        ids.push(await build({ isActive, start: within(start), end: within(end) }));

    const { body: rows } = await admin.get<(Json & Lasting)[]>(path);
    const states = new Map(rows.map((row) => [String(row.id), row.validity]));
    expect(ids.map((id) => states.get(id))).toEqual([
      'valid',
      'not_started',
      'expired',
      'disabled',
      'disabled',
      'expired',
    ]);
    for (const row of rows) {
      expect(row.validity).toBe(validityOf(row, new Date()));
      expect(row.is_valid).toBe(row.validity === 'valid');
      expect((await admin.get<Json>(`${path}${row.id}/`)).body.validity).toBe(row.validity);
    }
    const { body: valid } = await admin.get<Json[]>(`${path}?is_valid=1`);
    expect(valid.map(({ id }) => id)).toEqual([ids[0]]);

    const { text } = await admin.get(`${path}?format=csv&fields=id,validity`);
    for (const [id, state] of states) expect(text).toMatch(new RegExp(`${id}"?,"?${state}`));
  });
});

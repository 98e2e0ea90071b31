import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Json } from '../../testing/client.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { createSessionRows } from './store.ts';

let test: TestProgram;
beforeAll(async () => {
  test = await startTestProgram();
});
afterAll(() => test.stop());

it('a command that was refused is dangerous in the record, and others are ordinary', async () => {
  const { rows } = await sql<{ id: string }>`insert into session ("user", asset, "system_user") values ('Someone', 'web-01', 'root') returning id`.execute(
    test.db,
  );
  const session = rows[0]?.id ?? '';
  await createSessionRows(test.db, 'test').addCommands(session, [
    { sequence: 1, input: 'uptime', output: 'up', at: 10 },
    { sequence: 2, input: 'reboot', output: 'Not allowed.', at: 20, isRefused: true },
  ]);
  const { body } = await (await bearer(test)).get<Json[]>(`terminal/commands/?session=${session}&order=sequence`);
  expect(body).toMatchObject([
    { input: 'uptime', risk_level: 0 },
    { input: 'reboot', output: 'Not allowed.', risk_level: 5, risk_level_display: 'Dangerous' },
  ]);
});

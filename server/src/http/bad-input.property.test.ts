import { RESOURCES } from '@sallyport/contract';
import { limitOf, runs } from '@sallyport/property-runs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildAsset, buildUser, rootNode } from '../testing/builders.ts';
import type { Client } from '../testing/client.ts';
import { everyRow } from '../testing/every-row.ts';
import { bearer } from '../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../testing/test-program.ts';

let test: TestProgram;
let admin: Client;
let ids: string[];
let targets: { method: string; url: string; fields: string[] }[];
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
  ids = [
    (await buildUser(test.db)).id,
    await buildAsset(test.db),
    await rootNode(test.db),
    crypto.randomUUID(),
  ];
  targets = test.program.app.routes
    // Skip signing out, which would end the test, and changes of the first administrator's
    // password.
    .filter(
      ({ method, url, socket }) =>
        ['POST', 'PUT', 'PATCH'].includes(method) &&
        !socket &&
        !/logout|password/.test(url) &&
        url.startsWith('/'),
    )
    .map(({ method, url }) => {
      const resource = RESOURCES.find(({ path }) => url.startsWith(`/api/v1/${path}/`));
      return {
        method,
        url,
        fields: Object.keys(
          resource?.fields ?? { assets: 1, nodes: 1, asset: 1, username: 1, next: 1 },
        ).filter((name) => name !== 'is_active'),
      };
    });
});
afterAll(() => test.stop());

/** Values that break programs, among merely invalid ones. */
const awkward = fc.oneof(
  fc.constantFrom<unknown>(
    '',
    ' ',
    '\u0000',
    '\ud800',
    '\u202e',
    "'",
    '%',
    '\\',
    '__proto__',
    'constructor',
    'null',
    '9'.repeat(400),
    '🏴󠁧󠁢󠁥󠁮󠁧󠁿',
  ),
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -0,
    -1,
    0.5,
    2 ** 31,
    2 ** 53,
    1e308,
    [],
    {},
    [[]],
    [null],
    { toString: 1 },
    '0001-01-01T00:00:00Z',
    '2030-01-01 00:00:00 +9999',
  ),
  fc.jsonValue({ maxDepth: 3 }),
  fc.string({ unit: 'binary', maxLength: 300 }),
);

it('answers any body without a defect, and changes nothing when it rejects', {
  timeout: limitOf(300_000),
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(10_000),
      fc.nat(3),
      fc.array(fc.tuple(fc.nat(100), awkward), { minLength: 1, maxLength: 5 }),
      fc.option(fc.string({ maxLength: 20 }), { freq: 5 }),
      fc.boolean(),
      async (route, id, values, surplus, isList) => {
        const target = targets[route % targets.length];
        if (!target) throw new Error('there are no routes');
        const object = Object.fromEntries(
          values.map(([field, value]) => [target.fields[field % target.fields.length], value]),
        );
        if (surplus !== null)
          Object.defineProperty(object, surplus, { value: 1, enumerable: true });
        const path = target.url.replace(/:\w+/g, () => ids[id] ?? '');
        const before = await everyRow(test.db);
        const { status, text } = await admin.request(
          target.method,
          path,
          isList ? [object] : object,
        );
        expect(
          status,
          `${target.method} ${path} ${JSON.stringify(object).slice(0, 300)} answered ${text.slice(0, 100)}`,
        ).toBeLessThan(500);
        if (status >= 400) expect(await everyRow(test.db)).toBe(before);
      },
    ),
    { ...runs(120), endOnFailure: true },
  );
});

it('answers any bytes sent as JSON without a defect', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 200 }),
      fc.constantFrom('application/json', 'application/x-www-form-urlencoded', 'text/csv'),
      async (bytes, type) => {
        for (const path of [
          'assets/labels/',
          'authentication/auth/',
          'terminal/tasks/kill-session/',
        ])
          expect((await admin.send('POST', path, new Uint8Array(bytes), type)).status).toBeLessThan(
            500,
          );
      },
    ),
    runs(30),
  );
});

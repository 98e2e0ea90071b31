import { ERRORS, RELATIONS, RESOURCES, writableFields } from '@sallyport/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildAsset, buildGroup, buildPermission, buildSystemUser, buildUser, rootNode } from '../testing/builders.ts';
import type { Answer, Client } from '../testing/client.ts';
import { everyRow } from '../testing/every-row.ts';
import { bearer } from '../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../testing/test-program.ts';

let test: TestProgram;
let admin: Client;
let ids: string[];
beforeAll(async () => {
  test = await startTestProgram();
  const { db } = test;
  admin = await bearer(test);
  const [user, asset, systemUser] = [(await buildUser(db)).id, await buildAsset(db), await buildSystemUser(db)];
  const rule = await buildPermission(db, { users: [user], assets: [asset], systemUsers: [systemUser] });
  ids = [user, asset, systemUser, rule, await buildGroup(db, [user]), await rootNode(db)];
});
afterAll(() => test.stop());

const LONGEST_MILLISECONDS = 1_000;

/** Asks, and asks again what was slow: a busy machine is slow once, a defect each time. */
async function timely(what: string, ask: () => Promise<Answer<unknown>>): Promise<Answer<unknown>> {
  const times: number[] = [];
  let answer: Answer<unknown> | undefined;
  while (times.length < 3) {
    const start = performance.now();
    answer = await ask();
    expect(answer.status, `${what} answered ${answer.text.slice(0, 300)}`).toBeLessThan(500);
    times.push(performance.now() - start);
    if ((times.at(-1) ?? 0) < LONGEST_MILLISECONDS) return answer;
  }
  throw new Error(`${what} took ${times.map(Math.round).join(', ')} ms`);
}

/** A refusal says something by its code or by its fields, and nothing of the inside. */
function assertWorded({ status, text }: Answer<unknown>, what: string): void {
  if (status < 400) return;
  expect(text, what).not.toMatch(/select |insert into|node_modules|at file:|syntax error|violates/);
  const body = JSON.parse(text) as { code?: string };
  if (typeof body.code === 'string') expect(Object.keys(ERRORS), what).toContain(body.code);
}

const hostile = fc.constantFrom(
  '',
  '0',
  '-1',
  '1e309',
  'null',
  'NaN',
  '%',
  "'",
  '"',
  '\\',
  '()',
  '[]',
  '{}',
  '__proto__',
  'constructor',
  '𠮷',
  '\u202e',
  ' ',
  ',,,',
  '9'.repeat(40),
  'ａ',
  '..',
);
const text = fc.oneof(hostile, fc.string({ maxLength: 40 }), fc.string({ unit: 'grapheme', maxLength: 40 }), fc.string({ unit: 'binary', maxLength: 20 }));

it('no list request is a defect, slow, or answered without a word', async () => {
  const lists = test.program.app.routes.filter(
    ({ method, url, socket }) => method === 'GET' && !socket && url.startsWith('/api/v1/') && !url.endsWith('/download/'),
  );
  const names = [
    ...new Set([
      ...RESOURCES.flatMap(({ fields }) => Object.keys(fields)),
      'limit',
      'offset',
      'search',
      'order',
      'ids',
      'spm',
      'date_from',
      'date_to',
      'format',
      'template',
      'fields',
    ]),
  ];
  const name = fc.oneof(
    fc.constantFrom(...names),
    fc.constantFrom(...names).map((one) => `${one}__in`),
    text,
  );
  const value = fc.oneof(text, fc.constantFrom(...ids), fc.constantFrom('csv', 'import', '2020-01-01T00:00:00Z', '-name,username', '1,2', 'true'));
  const request = fc.record({
    route: fc.constantFrom(...lists),
    parameters: fc.array(fc.tuple(name, value), { maxLength: 6 }),
    id: fc.oneof(fc.constantFrom(...ids), hostile),
  });
  await fc.assert(
    fc.asyncProperty(request, async ({ route, parameters, id }) => {
      const path = `${route.url.replace(/:\w+/g, encodeURIComponent(id.toWellFormed() || '-'))}?${new URLSearchParams(parameters)}`;
      assertWorded(await timely(path, () => admin.get(path)), path);
    }),
    { numRuns: 800 },
  );
}, 120_000);

/** Resources whose rows can be written, and bodies that are nearly theirs. */
const WRITABLE = RESOURCES.filter(({ access }) => access.create !== undefined || access.update !== undefined);

function bodyOf(): fc.Arbitrary<{ path: string; create: boolean; body: unknown }> {
  const anything = fc.oneof(
    text,
    fc.integer(),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.constantFrom(...ids),
    fc.array(fc.oneof(text, fc.constantFrom(...ids), fc.constant(null)), { maxLength: 4 }),
    fc.dictionary(text, text, { maxKeys: 3 }),
  );
  const near = [...WRITABLE, ...RELATIONS.map(({ pair }) => pair)].map((resource) => {
    const fields = writableFields(resource).map(([field]) => field);
    const object = fc.dictionary(fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...fields) }, { weight: 1, arbitrary: text }), anything, { maxKeys: 8 });
    const body = fc.oneof(
      { weight: 4, arbitrary: object },
      { weight: 2, arbitrary: fc.array(object, { maxLength: 3 }) },
      { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
    );
    return body.map((value) => ({ path: resource.path, create: resource.access.create !== undefined, body: value as unknown }));
  });
  return fc.oneof(...near);
}

it('no body is a defect or slow, and what is refused changes nothing', async () => {
  const request = fc.record({
    asked: bodyOf(),
    method: fc.constantFrom('POST', 'PUT', 'PATCH'),
    id: fc.option(fc.constantFrom(...ids)),
    rehearse: fc.boolean(),
  });
  let before = await everyRow(test.db);
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(request, async ({ asked, method, id, rehearse }) => {
      const item = id !== null && method !== 'POST' ? `${id}/` : '';
      const path = `${asked.path}/${item}${rehearse ? '?dry_run=1' : ''}`;
      const answer = await timely(`${method} ${path} ${JSON.stringify(asked.body)}`, () => admin.request(method, path, asked.body));
      assertWorded(answer, path);
      const after = await everyRow(test.db);
      if (answer.status >= 400) {
        refused += 1;
        expect([method, path, asked.body, after === before]).toEqual([method, path, asked.body, true]);
      }
      before = after;
    }),
    { numRuns: 300 },
  );
  expect(refused).toBeGreaterThan(100);
}, 180_000);

it('no import is a defect or slow, and one with an error changes nothing', async () => {
  const importable = WRITABLE.filter(({ access }) => access.create !== undefined && access.update !== undefined);
  const cell = fc.oneof(text, fc.constantFrom(...ids, '=1+1', '@x', '["a"]', "['a', 'b']", '{"a": 1}', '“a”', 'True', 'a\nb', 'a""b'));
  const quoted = (value: string) => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
  const file = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.constantFrom(...importable).chain((resource) => {
        const labels = writableFields(resource).flatMap(([name, field]) => [name, field.label.en, field.label.zh, `*${field.label.en}`]);
        const header = fc.array(fc.oneof({ weight: 6, arbitrary: fc.constantFrom('id', ...labels) }, { weight: 1, arbitrary: text }), {
          minLength: 1,
          maxLength: 6,
        });
        return fc
          .record({
            header,
            rows: fc.array(fc.array(cell, { maxLength: 7 }), { maxLength: 5 }),
            bom: fc.boolean(),
            newline: fc.constantFrom('\n', '\r\n', '\r'),
          })
          .map(({ header: names, rows, bom, newline }) => ({
            path: resource.path,
            bytes: new Uint8Array(Buffer.from(`${bom ? '\ufeff' : ''}${[names, ...rows].map((row) => row.map(quoted).join(',')).join(newline)}`)),
          }));
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        path: fc.constantFrom(...importable.map(({ path }) => path)),
        bytes: fc.uint8Array({ maxLength: 400 }).map((bytes) => new Uint8Array(bytes)),
      }),
    },
  );
  let before = await everyRow(test.db);
  await fc.assert(
    fc.asyncProperty(file, fc.constantFrom('POST', 'PUT'), fc.constantFrom('zh', 'en'), async ({ path, bytes }, method, language) => {
      const answer = await timely(`${method} ${path} ${Buffer.from(bytes).toString('base64')}`, () =>
        admin.with({ 'accept-language': language }).send(method, `${path}/`, bytes, 'text/csv'),
      );
      assertWorded(answer, path);
      const after = await everyRow(test.db);
      if (answer.status >= 400)
        expect([method, path, Buffer.from(bytes).toString(), after === before]).toEqual([method, path, Buffer.from(bytes).toString(), true]);
      before = after;
    }),
    { numRuns: 250 },
  );
}, 180_000);

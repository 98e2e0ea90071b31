import { ERRORS, RELATIONS, RESOURCES, writableFields } from '@sallyport/contract';
import { limitOf, runs } from '@sallyport/property-runs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Answer, Client, Json } from '../testing/client.ts';
import { everyRow } from '../testing/every-row.ts';
import { bearer } from '../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../testing/test-program.ts';
import { buildTwoOrganizations } from '../testing/two-organizations.ts';

let test: TestProgram;
let admin: Client;
let ids: string[];
/** One row of each resource; nearly valid bodies start from it. */
let rows: Record<string, Json>;
beforeAll(async () => {
  test = await startTestProgram();
  const world = await buildTwoOrganizations(test);
  admin = (await bearer(test)).inOrganization(world.here);
  ids = [...Object.values(world.own), world.foreign['assets/assets'] ?? ''];
  rows = Object.fromEntries(
    await Promise.all(
      Object.entries(world.own).map(async ([path, id]) => [
        path,
        (await admin.get(`${path}/${id}/`)).body,
      ]),
    ),
  );
});
afterAll(() => test.stop());

/**
 * Sends a request and expects a status below 500; a slow request fails too, because it gets 503.
 */
async function sound(what: string, ask: () => Promise<Answer<unknown>>): Promise<Answer<unknown>> {
  const answer = await ask();
  expect(answer.status, `${what} answered ${answer.text.slice(0, 300)}`).toBeLessThan(500);
  return answer;
}

/** Checks that an error has a code or field codes and reveals no internals. */
function assertWorded({ status, text, headers }: Answer<unknown>, what: string): void {
  if (status < 400) return;
  expect(Object.keys(ERRORS), what).toContain(headers.get('x-error-code'));
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
const text = fc.oneof(
  hostile,
  fc.string({ maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
);

/** Ids exist only on the running server, so generated values are resolved at run time. */
const anyId = fc.integer({ min: 0, max: 1_000 }).map((n) => () => ids[n % ids.length] ?? '');
const resolveValue = (value: string | (() => string)): string =>
  typeof value === 'function' ? value() : value;

const PARAMETERS = [
  ...new Set([
    ...RESOURCES.flatMap(({ fields }) => Object.keys(fields)),
    ...[
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
      'fields!',
      'fields_size',
      'oid',
      'tz',
      'all',
    ],
    ...[
      'node',
      'org_role',
      'is_valid',
      'not_seen_days',
      'used_days',
      'used_on',
      'session_id',
      'input',
      'ips',
      'label',
      'user_id',
      'asset_id',
      'key',
      'draw',
      'display',
      'page',
      'size',
      'sort',
    ],
  ]),
];

/** Routes that answer GET, known once the server runs. */
const listed = () =>
  test.program.app.routes.filter(
    ({ method, url, socket }) =>
      method === 'GET' && !socket && url.startsWith('/api/v1/') && !url.endsWith('/download/'),
  );

it('answers every list request quickly, without a defect and with an error code', {
  timeout: limitOf(180_000),
}, async () => {
  const name = fc.oneof(
    fc.constantFrom(...PARAMETERS),
    fc.constantFrom(...PARAMETERS).map((one) => `${one}__in`),
    text,
  );
  const value = fc.oneof(
    text,
    anyId,
    fc.constantFrom(
      'csv',
      'import',
      '2020-01-01T00:00:00Z',
      '2020-01-01 00:00',
      '-name,username',
      '1,2',
      'true',
      'mini',
    ),
  );
  const request = fc.record({
    parameters: fc.array(fc.tuple(name, value), { maxLength: 6 }),
    id: fc.oneof(anyId, hostile),
  });
  const routes = listed();
  expect(routes.length).toBeGreaterThan(50);
  // Test every route, and lists of resources more often: they share the query grammar.
  for (const route of routes) {
    const isResource = [...RESOURCES, ...RELATIONS].some(
      ({ path }) => route.url === `/api/v1/${path}/`,
    );
    await fc.assert(
      fc.asyncProperty(request, async ({ parameters, id }) => {
        const query = new URLSearchParams(
          parameters.map(([one, value]): [string, string] => [one, resolveValue(value)]),
        );
        const path = `${route.url.replace(/:\w+/g, encodeURIComponent(resolveValue(id).toWellFormed() || '-'))}?${query}`;
        assertWorded(await sound(path, () => admin.get(path)), path);
      }),
      runs(isResource ? 10 : 3),
    );
  }
});

const anything = fc.oneof(
  text,
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  anyId,
  fc.array(fc.oneof(text, anyId, fc.constant(null)), { maxLength: 4 }),
  fc.dictionary(text, text, { maxKeys: 3 }),
  fc.constantFrom(
    '2020-01-01 00:00:00',
    '2030-01-31 08:30:00 +0800',
    '10.0.0.1',
    'Linux',
    ['ssh/22'],
    ['all'],
    'local',
    'secret of mine',
  ),
);

/** Replaces placeholders by ids of the running server. */
function resolveIds(value: unknown): unknown {
  if (typeof value === 'function') return (value as () => string)();
  if (Array.isArray(value)) return value.map(resolveIds);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, resolveIds(one)]));
}

const TRIES = 5;

const WRITABLE = [
  ...RESOURCES.filter(({ access }) => access.create !== undefined || access.update !== undefined),
  ...RELATIONS.map(({ pair }) => pair),
];

it.each(WRITABLE.map((resource) => [resource.path, resource] as const))(
  'answers every body quickly and without a defect, and changes nothing when it rejects: %s',
  async (path, resource) => {
    const fields = writableFields(resource).map(([field]) => field);
    const changes = fc.dictionary(
      fc.oneof(
        { weight: 9, arbitrary: fc.constantFrom(...fields) },
        { weight: 1, arbitrary: text },
      ),
      anything,
      { maxKeys: 6 },
    );
    // Half of the bodies are a valid row with changes: they get past the first checks.
    const object = fc.record({
      changes,
      isNear: fc.boolean(),
      name: fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 12 }),
    });
    const body = fc.oneof(
      { weight: 4, arbitrary: fc.record({ one: object }) },
      { weight: 3, arbitrary: fc.record({ many: fc.array(object, { maxLength: 3 }) }) },
      { weight: 1, arbitrary: fc.record({ json: fc.jsonValue({ maxDepth: 4 }) }) },
    );
    const request = fc.record({
      body,
      method: fc.constantFrom('POST', 'PUT', 'PATCH'),
      toItem: fc.boolean(),
      id: anyId,
      rehearse: fc.boolean(),
    });
    const build = (
      { changes: changed, isNear, name }: { changes: object; isNear: boolean; name: string },
      keepsId: boolean,
    ): unknown => {
      const { id, ...row } = rows[path] ?? {};
      const near = isNear
        ? {
            ...row,
            ...(resource.labelField in row && { [resource.labelField]: name }),
            ...(keepsId && { id }),
          }
        : {};
      return { ...near, ...(resolveIds(changed) as object) };
    };
    let before = await everyRow(test.db);
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(request, async ({ body: shape, method, toItem, id, rehearse }) => {
        const sent =
          'one' in shape
            ? build(shape.one, false)
            : 'many' in shape
              ? shape.many.map((one) => build(one, method !== 'POST'))
              : shape.json;
        const own = rows[path]?.id ?? id();
        const where = `${path}/${toItem && method !== 'POST' ? `${own}/` : ''}${rehearse ? '?dry_run=1' : ''}`;
        // Effects of earlier accepted requests may still arrive; a faulty rejection changes rows on
        // every try.
        for (let left = TRIES; ; left--) {
          const answer = await sound(`${method} ${where} ${JSON.stringify(sent)}`, () =>
            admin.request(method, where, sent),
          );
          assertWorded(answer, where);
          const after = await everyRow(test.db);
          const isSame = after === before;
          before = after;
          if (answer.status < 400) return;
          if (!isSame && left > 1) continue;
          refused += 1;
          expect([method, where, sent, isSame]).toEqual([method, where, sent, true]);
          return;
        }
      }),
      runs(12),
    );
    expect(refused).toBeGreaterThan(2);
  },
  limitOf(60_000),
);

const IMPORTABLE = RESOURCES.filter(
  ({ access }) => access.create !== undefined && access.update !== undefined,
);
const cell = fc.oneof(
  text,
  anyId,
  fc.constantFrom(
    '=1+1',
    '@x',
    '["a"]',
    "['a', 'b']",
    '{"a": 1}',
    '“a”',
    'True',
    'a\nb',
    'a""b',
    '10.0.0.1',
    'Linux',
  ),
);
const quoted = (value: string) =>
  /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;

it.each(IMPORTABLE.map((resource) => [resource.path, resource] as const))(
  'answers every import quickly and without a defect, and changes nothing when it rejects: %s',
  async (path, resource) => {
    const labels = writableFields(resource).flatMap(([name, field]) => [
      name,
      field.label.en,
      field.label.zh,
      `*${field.label.en}`,
    ]);
    const header = fc.array(
      fc.oneof(
        { weight: 6, arbitrary: fc.constantFrom('id', ...labels) },
        { weight: 1, arbitrary: text },
      ),
      {
        minLength: 1,
        maxLength: 6,
      },
    );
    const table = fc.record({
      header,
      lines: fc.array(fc.array(cell, { maxLength: 7 }), { maxLength: 5 }),
      bom: fc.boolean(),
      newline: fc.constantFrom('\n', '\r\n', '\r'),
    });
    const file = fc.oneof(
      { weight: 4, arbitrary: fc.record({ table }) },
      { weight: 1, arbitrary: fc.record({ bytes: fc.uint8Array({ maxLength: 400 }) }) },
    );
    let before = await everyRow(test.db);
    await fc.assert(
      fc.asyncProperty(
        file,
        fc.constantFrom('POST', 'PUT'),
        fc.constantFrom('zh', 'en'),
        async (input, method, language) => {
          const {
            header: names,
            lines,
            bom,
            newline,
          } = 'table' in input ? input.table : { header: [], lines: [], bom: false, newline: '' };
          const written = [names, ...lines.map((line) => line.map(resolveValue))]
            .map((line) => line.map(quoted).join(','))
            .join(newline);
          const bytes =
            'bytes' in input
              ? new Uint8Array(input.bytes)
              : new Uint8Array(Buffer.from(`${bom ? '\ufeff' : ''}${written}`));
          const answer = await sound(
            `${method} ${path} ${Buffer.from(bytes).toString('base64')}`,
            () =>
              admin
                .with({ 'accept-language': language })
                .send(method, `${path}/`, bytes, 'text/csv'),
          );
          assertWorded(answer, path);
          const after = await everyRow(test.db);
          if (answer.status >= 400)
            expect([method, path, written, after === before]).toEqual([
              method,
              path,
              written,
              true,
            ]);
          before = after;
        },
      ),
      runs(12),
    );
  },
  limitOf(60_000),
);

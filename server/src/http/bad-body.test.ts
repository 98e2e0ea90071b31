import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildUser, rootNode } from '../testing/builders.ts';
import type { Client } from '../testing/client.ts';
import { everyRow } from '../testing/every-row.ts';
import { bearer } from '../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../testing/test-program.ts';

let test: TestProgram;
let admin: Client;
let ids: { label: string; user: string; node: string };
let before: string;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
  const { body } = await admin.post('assets/labels/', { name: 'a', value: 'b' });
  ids = {
    label: String(body.id),
    user: (await buildUser(test.db)).id,
    node: await rootNode(test.db),
  };
});
afterAll(() => test.stop());
beforeEach(async () => {
  before = await everyRow(test.db);
});

const DEEP = 10_000;
const nested = (open: string, close: string, inner = '1') =>
  open.repeat(DEEP) + inner + close.repeat(DEEP);

describe('a body as a whole', () => {
  it.each([
    ['malformed', '{"name": ', 'malformed_json'],
    ['no JSON at all', 'name=a', 'malformed_json'],
    ['a trailing comma', '{"name": "a",}', 'malformed_json'],
    ['NaN', '{"name": NaN}', 'malformed_json'],
    ['cut off in a nesting', '['.repeat(60), 'malformed_json'],
  ])('rejects a body that is %s', async (_name, body, code) => {
    const answer = await admin.send('POST', 'assets/labels/', body, 'application/json');
    expect([answer.status, answer.body.code]).toEqual([400, code]);
    expect(await everyRow(test.db)).toBe(before);
  });

  it.each(['"text"', '7', 'null', 'true'])('rejects a body that is no object: %s', async (body) => {
    for (const [method, path] of [
      ['POST', 'assets/labels/'],
      ['PUT', `assets/labels/${ids.label}/`],
      ['PATCH', `assets/labels/${ids.label}/`],
    ] as const) {
      const answer = await admin.send(method, path, body, 'application/json');
      expect([answer.status, answer.body]).toEqual([
        400,
        { non_field_errors: ['Expected an object.'] },
      ]);
    }
    expect(await everyRow(test.db)).toBe(before);
  });

  it.each([
    nested('[', ']'),
    nested('{"a":', '}'),
    `{"name":${nested('[', ']')}}`,
    '['.repeat(65) + ']'.repeat(65),
  ])('that is nested too deeply is refused', async (body) => {
    for (const [method, path] of [
      ['POST', 'assets/labels/'],
      ['PATCH', 'users/preferences/'],
      ['POST', 'authentication/auth/'],
    ] as const) {
      const answer = await admin.send(method, path, body, 'application/json');
      expect([path, answer.status, answer.body.code]).toEqual([
        path,
        answer.status === 413 ? 413 : 400,
        answer.status === 413 ? 'body_too_large' : 'too_deep',
      ]);
    }
    expect(await everyRow(test.db)).toBe(before);
  });

  it('rejects a body that is nested too deeply', async () => {
    const answer = await admin.patch(`assets/labels/${ids.label}/`, {
      comment: `"\\"${'[{"'.repeat(300)}`,
    });
    expect(answer.status).toBe(200);
  });

  it('rejects a body of 10 MB with 413', async () => {
    const body = JSON.stringify({ name: 'x'.repeat(10 * 1024 * 1024), value: 'b' });
    const answer = await admin
      .send('POST', 'assets/labels/', body, 'application/json')
      .catch(() => undefined);
    // The server may close the connection before the whole body was sent.
    if (answer) expect([answer.status, answer.body.code]).toEqual([413, 'body_too_large']);
    const without = await test.visitor
      .send('POST', 'authentication/auth/', body, 'application/json')
      .catch(() => undefined);
    if (without) expect(without.status).toBe(413);
    expect((await admin.get('assets/labels/')).status).toBe(200);
    expect(await everyRow(test.db)).toBe(before);
  });

  it.each([
    'text/plain',
    'application/xml',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'nonsense',
  ])('rejects a body of type %s', async (type) => {
    const answer = await admin.send('POST', 'assets/labels/', '{"name":"a","value":"b"}', type);
    expect([answer.status, answer.body.code]).toEqual([415, 'unsupported_media_type']);
  });

  it.each([
    ['PATCH', 'users/profile/'],
    ['POST', 'users/users-groups-relations/'],
    ['PATCH', 'assets/labels/'],
    ['POST', 'common/resources/cache/'],
  ])('rejects a file where the route reads none: %s %s', async (method, path) => {
    const answer = await admin.send(method, path, 'a'.repeat(100_000), 'text/csv');
    expect([answer.status, answer.body.code]).toEqual([415, 'unsupported_media_type']);
  });

  it('answers a body of unknown fields briefly', async () => {
    const body = JSON.stringify(
      Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`field${i}`, i])),
    );
    for (const path of [
      'assets/labels/',
      'users/users-groups-relations/',
      'terminal/tasks/kill-session/',
    ]) {
      const { status, text } = await admin.send('POST', path, body, 'application/json');
      expect([path, status, text.length < 4_000]).toEqual([path, 400, true]);
    }
  });

  it('answers invalid UTF-8 without a defect', async () => {
    const body = Buffer.concat([
      Buffer.from('{"name":"'),
      Buffer.from([0xff, 0xc0, 0x80]),
      Buffer.from('"}'),
    ]);
    expect(
      (
        await admin.send(
          'PATCH',
          `assets/labels/${crypto.randomUUID()}/`,
          new Uint8Array(body),
          'application/json',
        )
      ).status,
    ).toBeLessThan(500);
  });
});

/** All routes that read a body, with one known field each. */
const PLACES: [string, string, string][] = [
  ['POST', 'assets/labels/', 'name'],
  ['PATCH', 'assets/labels/{label}/', 'assets'],
  ['POST', 'assets/assets/', 'protocols'],
  ['POST', 'perms/asset-permissions/', 'actions'],
  ['POST', 'users/users/', 'mfa_level'],
  ['PATCH', 'users/users/{user}/', 'date_expired'],
  ['PUT', 'users/users/{user}/password/', 'password'],
  ['PATCH', 'users/profile/', 'comment'],
  ['PUT', 'users/profile/password/', 'old_password'],
  ['POST', 'assets/nodes/', 'value'],
  ['POST', 'assets/nodes/{node}/children/', 'value'],
  ['PUT', 'assets/nodes/{node}/children/add/', 'nodes'],
  ['PUT', 'assets/nodes/{node}/assets/add/', 'assets'],
  ['POST', 'assets/favorite-assets/', 'asset'],
  ['POST', 'authentication/auth/', 'username'],
];

describe.each(PLACES)('%s %s', (method, template, field) => {
  const path = () => template.replace(/\{(\w+)\}/, (_, name: keyof typeof ids) => ids[name]);
  const send = (value: string) =>
    admin.send(method, path(), `{"${field}": ${value}}`, 'application/json');

  it.each([
    ['ten thousand arrays', nested('[', ']')],
    ['ten thousand objects', nested('{"a":', '}')],
    ['a NUL byte', '"a\\u0000b"'],
    ['a list with a NUL byte', '["a\\u0000b"]'],
    ['an endless number', '1e400'],
    ['half a character', '"\\ud800"'],
    ['a list with half a character', '["\\udc00"]'],
    ['an object', '{"length": 1}'],
    ['an object that is not printable', '{"toString": 1, "valueOf": 1}'],
    ['a list of such', '[{"toString": 1}]'],
    ['a list of lists', '[[[]]]'],
    ['a long text', JSON.stringify('长'.repeat(70_000))],
    ['true', 'true'],
  ])('refuses %s', async (_name, value) => {
    const { status, body } = await send(value);
    expect(status, JSON.stringify(body).slice(0, 200)).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    expect(await everyRow(test.db)).toBe(before);
  });

  it.each(['-1', '0.1', '123456789012345678901234567890', 'null', '""', '[]', '{}'])(
    'answers %s without a defect',
    async (value) => {
      expect((await send(value)).status).toBeLessThan(500);
      before = await everyRow(test.db);
    },
  );

  it('rejects an unknown field', async () => {
    const { status, body } = await admin.send(
      method,
      path(),
      '{"no_such_field": 1, "constructor": 1, "__proto__": {"x": 1}}',
      'application/json',
    );
    expect([status, body.no_such_field]).toEqual([400, ['Unknown field.']]);
    expect(await everyRow(test.db)).toBe(before);
  });
});

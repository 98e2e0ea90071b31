import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildOrganization, unique } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { signInMember } from '../../testing/roles.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
});
afterAll(() => test.stop());

const PLATFORMS = 'assets/platforms/';
const internal = async (name: string) =>
  (await admin.get<Json[]>(`${PLATFORMS}?name=${name}`)).body[0] as Json;

describe('a platform', () => {
  it('creates, reads, changes, finds and deletes a platform', async () => {
    const name = unique('win');
    const created = await admin.post(PLATFORMS, {
      name,
      base: 'Windows',
      charset: 'gbk',
      meta: { security: 'nla', console: true },
      comment: 'lab',
    });
    const expected = {
      name,
      base: 'Windows',
      charset: 'gbk',
      old_ssh: false,
      internal: false,
      meta: { security: 'nla', console: true },
      comment: 'lab',
    };
    expect([created.status, created.body]).toEqual([201, expect.objectContaining(expected)]);
    const path = `${PLATFORMS}${created.body.id}/`;
    expect((await admin.get(path)).body).toEqual({ id: created.body.id, ...expected });
    expect((await admin.patch(path, { meta: { security: 'tls' } })).body).toMatchObject({
      base: 'Windows',
      meta: { security: 'tls' },
    });
    expect((await admin.put(path, { name, meta: null })).body).toMatchObject({ meta: null });
    expect(
      (await admin.get<Json[]>(`${PLATFORMS}?search=${name.toUpperCase()}&base=Windows`)).body,
    ).toHaveLength(1);
    expect((await admin.delete(path)).status).toBe(204);
    expect((await admin.get(path)).status).toBe(404);
    const [entry] = (
      await admin.get<Json[]>(
        `audits/operate-logs/?resource_type=platform&search=${name}&order=-datetime`,
      )
    ).body;
    expect(entry).toMatchObject({ action: 'delete', resource: name });
  });

  it('finds platforms by name in a stored set, as existing clients request', async () => {
    for (const resources of ['Linux', ['Linux']]) {
      const { status, body } = await admin.post<Json>('common/resources/cache/', { resources });
      expect(status).toBe(200);
      expect((await admin.get<Json[]>(`${PLATFORMS}?spm=${body.spm}`)).body).toMatchObject([
        { name: 'Linux' },
      ]);
    }
    const id = (await internal('MacOS')).id;
    const { body: mixed } = await admin.post<Json>('common/resources/cache/', {
      resources: [id, 'Unix', 'no such platform', 7, ''],
    });
    expect(
      (await admin.get<Json[]>(`${PLATFORMS}?spm=${mixed.spm}&order=name`)).body.map(
        ({ name }) => name,
      ),
    ).toEqual(['MacOS', 'Unix']);
    // A set of names does not match resources that are identified by ids.
    expect((await admin.get<Json[]>(`assets/domains/?spm=${mixed.spm}`)).body).toEqual([]);
    expect(await admin.post('common/resources/cache/', { resources: [{ id }] })).toMatchObject({
      status: 400,
      body: { resources: [expect.any(String)] },
    });
  });

  it('gets the defaults of Linux', async () => {
    expect((await admin.post(PLATFORMS, { name: unique('plain') })).body).toMatchObject({
      base: 'Linux',
      charset: 'utf8',
      old_ssh: false,
      internal: false,
      meta: null,
    });
  });

  it.each<[string, unknown, Json]>([
    ['an unknown member', { security: 'nla', color: 'red' }, { 'meta.color': ['Unknown field.'] }],
    [
      'a member that is no choice',
      { security: 'weak' },
      { 'meta.security': ['"weak" is not one of the choices.'] },
    ],
    ['what is no object', ['nla'], { meta: ['A JSON object is expected.'] }],
  ])('rejects %s in its settings', async (_what, meta, problems) => {
    const refused = await admin.post(PLATFORMS, { name: unique('bad'), base: 'Windows', meta });
    expect([refused.status, Object.keys(refused.body)]).toEqual([400, Object.keys(problems)]);
  });

  it('accepts the capitals that older forms send', async () => {
    expect(
      (
        await admin.post(PLATFORMS, {
          name: unique('old'),
          base: 'Windows',
          meta: { security: 'RDP', console: 'true' },
        })
      ).body,
    ).toMatchObject({
      meta: { security: 'rdp', console: true },
    });
  });

  it('imports its own exported file', async () => {
    const name = unique('file');
    await admin.post(PLATFORMS, {
      name,
      base: 'Windows',
      meta: { security: 'any', console: false },
    });
    const { text } = await admin.get(`${PLATFORMS}?format=csv&template=update&name=${name}`);
    expect((await admin.send('PUT', PLATFORMS, text, 'text/csv')).status).toBe(200);
    expect((await admin.get<Json[]>(`${PLATFORMS}?name=${name}`)).body).toEqual([
      expect.objectContaining({ meta: { security: 'any', console: false } }),
    ]);
  });

  it('describes the members of its settings', async () => {
    const { body } = await admin.options(PLATFORMS);
    const { meta } = (body as { actions: { POST: Record<string, Json> } }).actions.POST;
    expect(meta).toMatchObject({
      type: 'nested object',
      children: { security: { type: 'choice' }, console: { type: 'boolean' } },
    });
  });

  it('rejects deleting a platform that an asset uses', async () => {
    const { body: used } = await admin.post(PLATFORMS, { name: unique('used') });
    await admin.post('assets/assets/', {
      hostname: unique('host'),
      ip: '192.0.2.1',
      platform: used.name,
    });
    expect((await admin.delete(`${PLATFORMS}${used.id}/`)).status).toBe(409);
  });
});

describe('an internal platform', () => {
  it.each<[string, (path: string, row: Json) => Promise<{ status: number }>]>([
    ['replaced', (path, row) => admin.put(path, { ...row, comment: 'x' })],
    ['changed', (path) => admin.patch(path, { base: 'Other' })],
    ['deleted', (path) => admin.delete(path)],
    ['changed in a batch', (_path, row) => admin.patch(PLATFORMS, [{ id: row.id, comment: 'x' }])],
  ])('rejects that an internal platform is %s', async (_what, act) => {
    const before = await internal('Windows2016');
    expect((await act(`${PLATFORMS}${before.id}/`, before)).status).toBe(403);
    expect(await internal('Windows2016')).toEqual(before);
  });

  it('ignores `internal` when a platform is created', async () => {
    expect(
      (await admin.post(PLATFORMS, { name: unique('internal'), internal: true })).body,
    ).toMatchObject({ internal: false });
  });
});

it('lets organization administrators read platforms but not create them', async () => {
  const organization = await buildOrganization(test.db);
  const local = await signInMember(test, organization);
  expect((await local.get(PLATFORMS)).status).toBe(200);
  expect((await local.post(PLATFORMS, { name: unique('local') })).status).toBe(403);
});

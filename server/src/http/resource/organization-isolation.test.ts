import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { buildTwoOrganizations, type TwoOrganizations } from '../../testing/two-organizations.ts';

let test: TestProgram;
let world: TwoOrganizations;
beforeAll(async () => {
  test = await startTestProgram();
  world = await buildTwoOrganizations(test);
});
afterAll(() => test.stop());

describe.each([
  'users/users',
  'users/groups',
  'assets/assets',
  'assets/nodes',
  'assets/admin-users',
  'assets/system-users',
  'assets/domains',
  'assets/gateways',
  'assets/labels',
  'perms/asset-permissions',
  'terminal/sessions',
  'terminal/commands',
  'audits/operate-logs',
  'audits/login-logs',
])('%s of another organization', (path) => {
  it('is not found, and nothing changes', async () => {
    const { insider, foreign, fingerprint } = world;
    const id = foreign[path] ?? '';
    const before = await fingerprint();
    expect((await insider.get(`${path}/${id}/`)).status).toBe(404);
    expect((await insider.options(`${path}/${id}/`)).status).toBe(404);
    for (const [method, body] of [['PUT', {}], ['PATCH', { comment: 'taken over' }], ['DELETE']] as const) {
      const answer = await insider.request(method, `${path}/${id}/`, body);
      // Whatever is answered must not tell that the object exists.
      const invented = await insider.request(method, `${path}/${crypto.randomUUID()}/`, body);
      expect([method, answer.status, answer.text]).toEqual([method, invented.status, invented.text]);
      expect([400, 404, 405]).toContain(answer.status);
    }
    expect(await fingerprint()).toBe(before);
  });

  it('is in no list, search, filter or selection', async () => {
    const { insider, foreign, mark } = world;
    const id = foreign[path] ?? '';
    for (const query of ['', '?limit=100', `?search=${mark}`, `?limit=5&search=${mark}`, `?ids=${id}`, `?id=${id}`]) {
      const { status, text } = await insider.get(`${path}/${query}`);
      // The links to the neighbouring pages repeat the query; the rows must not know the object.
      const rows = JSON.stringify(JSON.parse(text).results ?? JSON.parse(text));
      expect([query, status, rows.includes(mark), rows.includes(id)]).toEqual([query, 200, false, false]);
      if (query.startsWith('?ids')) expect(rows).toBe('[]');
    }
  });
});

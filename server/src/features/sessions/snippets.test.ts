import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildUser } from '../../testing/builders.ts';
import type { Json } from '../../testing/client.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { MOST_SNIPPETS } from './hooks.ts';

const PATH = 'terminal/snippets/';
let test: TestProgram;
beforeAll(async () => {
  test = await startTestProgram();
});
afterAll(() => test.stop());

it('hides snippets from all users but their owner, administrators included', async () => {
  const owner = await bearer(test, await buildUser(test.db));
  const content = 'for i in 1 2; do\n  echo "{{what}} $i"\ndone\n';
  const created = await owner.post<Json>(PATH, { name: 'Loop', content });
  expect([created.status, created.body.content]).toEqual([201, content]);
  const one = `${PATH}${created.body.id}/`;
  expect((await owner.get<Json[]>(`${PATH}?search=loop`)).body).toMatchObject([{ name: 'Loop' }]);
  expect((await owner.patch<Json>(one, { name: 'Loop twice' })).body.name).toBe('Loop twice');

  for (const other of [await bearer(test), await bearer(test, await buildUser(test.db))]) {
    expect((await other.get<Json[]>(PATH)).body).toEqual([]);
    expect((await other.get(one)).status).toBe(404);
    expect((await other.patch(one, { name: 'mine' })).status).toBe(404);
    expect((await other.delete(one)).status).toBe(404);
  }
  expect((await test.visitor.get(PATH)).status).toBe(401);
  expect((await owner.delete(one)).status).toBe(204);
});

it('rejects keys, blanks and long texts as snippets, and one above the limit', async () => {
  const owner = await bearer(test, await buildUser(test.db));
  for (const content of ['echo \u0003', '\u001b[A', '', 'x'.repeat(4097)]) {
    const { status, body } = await owner.post<Json>(PATH, { name: 'Bad', content });
    expect([status, Object.keys(body)]).toEqual([400, ['content']]);
  }
  const rows = Array.from({ length: MOST_SNIPPETS }, (_, index) => ({
    name: `Snippet ${index}`,
    content: 'uptime',
  }));
  expect((await owner.post(PATH, rows)).status).toBe(201);
  const { status, text } = await owner.post(PATH, { name: 'One more', content: 'uptime' });
  expect(status).toBe(400);
  expect(text).toContain(String(MOST_SNIPPETS));
});

import { expect } from 'vitest';
import { words } from '../../web/src/console/features/deleted-objects/words.ts';
import { words as list } from '../../web/src/console/resource/list/words.ts';
import { common } from '../../web/src/kit/i18n/common.ts';
import { problemsOf } from '../harness/axe.ts';
import { buildPerson, create, unique } from '../harness/build.ts';
import { useStage } from '../harness/journey.ts';
import { languageOfFile } from '../harness/language.ts';
import { ADMIN } from '../harness/server.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';

const language = languageOfFile(import.meta.url);

const { journey } = useStage();

journey(
  'undoes a deletion, and restores another object under a new name from the list',
  async (open, { admin }) => {
    const [undone, renamed] = [unique('undone'), unique('renamed')];
    for (const name of [undone, renamed])
      expect((await admin.post('users/groups/', { name })).status).toBe(201);
    const visitor = await open({ language });
    visitor.watch.allow(/^400 POST \/api\/v1\/common\/deleted-objects\//);
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, '/ui/users/groups');
    const remove = async (name: string) => {
      await view
        .row(name)
        .getByRole('button', { name: view.say(common.delete) })
        .click();
      await view.dialog.getByRole('button', { name: view.say(common.delete), exact: true }).click();
      await view.row(name).waitFor({ state: 'detached' });
    };
    await remove(undone);
    await (await view.holdUndo()).click();
    await view.row(undone).waitFor();

    await remove(renamed);
    expect((await admin.post('users/groups/', { name: renamed })).status).toBe(201);
    await page.goto(new URL('/ui/deleted-objects', page.url()).href);
    await view.row(renamed).waitFor();
    expect(await problemsOf(page, 'recently deleted')).toEqual([]);
    await view
      .row(renamed)
      .getByRole('button', { name: view.say(words.restore) })
      .click();
    const other = unique('other');
    await view.dialog.getByRole('textbox').fill(other);
    await view.dialog.getByRole('button', { name: view.say(words.restore), exact: true }).click();
    await view.row(renamed).waitFor({ state: 'detached' });
    const names = async (name: string) =>
      (await admin.get<{ name: string }[]>(`users/groups/?name=${name}`)).body.length;
    expect([await names(undone), await names(renamed), await names(other)]).toEqual([1, 1, 1]);
  },
);

journey('deletes objects permanently, several at once, by keyboard', async (open, { admin }) => {
  const name = unique('gone');
  const groups = [`${name}-1`, `${name}-2`];
  for (const group of groups) {
    const { body } = await admin.post<{ id: string }>('users/groups/', { name: group });
    expect((await admin.delete(`users/groups/${body.id}/`)).status).toBe(204);
  }
  const visitor = await open({ language });
  const view = new ConsolePage(visitor);
  await signIn(visitor, ADMIN, `/ui/deleted-objects?search=${name}`);
  for (const group of groups)
    await visitor.page
      .getByRole('checkbox', { name: view.say(list.selectRow, { name: group }) })
      .press('Space');
  await view.button(list.moreActions).press('Enter');
  await visitor.page.getByRole('menuitem', { name: view.say(list.deleteSelected) }).press('Enter');
  await view.answerToMany('deleteMany').click();
  for (const group of groups) await view.row(group).waitFor({ state: 'detached' });
  const { body } = await admin.get<unknown[]>(`common/deleted-objects/?search=${name}`);
  expect(body).toEqual([]);
});

journey(
  'undoes the deletion of a selection, with the members of each group',
  async (open, { admin }) => {
    const name = unique('team');
    const groups = [`${name}-1`, `${name}-2`, `${name}-3`];
    const person = await buildPerson(admin);
    for (const group of groups)
      await create(admin, 'users/groups/', { name: group, users: [person.id] });
    const visitor = await open({ language });
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, `/ui/users/groups?search=${name}`);
    for (const group of groups.slice(0, 2))
      await visitor.page
        .getByRole('checkbox', { name: view.say(list.selectRow, { name: group }) })
        .check();
    await view.button(list.moreActions).click();
    await visitor.page.getByRole('menuitem', { name: view.say(list.deleteSelected) }).click();
    await view.answerToMany('deleteMany').click();
    for (const group of groups.slice(0, 2)) await view.row(group).waitFor({ state: 'detached' });
    await view.row(`${name}-3`).waitFor();
    await (await view.holdUndo()).click();
    for (const group of groups) await view.row(group).waitFor();
    const answer = await admin.get<{ name: string; users: string[] }[]>(
      `users/groups/?search=${name}`,
    );
    expect(answer.body.map((group) => [group.name, group.users]).toSorted()).toEqual(
      groups.map((group) => [group, [person.id]]),
    );
  },
);

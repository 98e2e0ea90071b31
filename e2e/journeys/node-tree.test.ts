import { expect } from 'vitest';
import { words as dialogs } from '../../web/src/console/tree/dialogs/words.ts';
import { words as tree } from '../../web/src/console/tree/words.ts';
import { SENTENCES } from '../../web/src/kit/consequences/words.ts';
import { common } from '../../web/src/kit/i18n/common.ts';
import { buildAsset, unique } from '../harness/build.ts';
import { useOwnServer } from '../harness/journey.ts';
import { languageOfFile } from '../harness/language.ts';
import { ADMIN } from '../harness/server.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';

const language = languageOfFile(import.meta.url);

const { journey } = useOwnServer();

journey(
  'creates, renames, drags and deletes nodes, and counts exactly',
  async (open, { admin, sshd }) => {
    const [east, west] = [unique('east'), unique('west')];
    const visitor = await open({ language });
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, '/ui/assets/assets');
    const nodes = page.getByRole('tree', { name: view.say(tree.tree) });
    const item = (name: string) => nodes.getByRole('treeitem').filter({ hasText: name });
    const menuOf = async (name: string, entry: string) => {
      await item(name).click({ button: 'right' });
      await page.getByRole('menuitem', { name: entry, exact: true }).click();
    };
    const nameIt = async (name: string) => {
      const input = page.getByRole('textbox', { name: view.say(tree.newName) });
      await input.fill(name);
      // The keys that end or discard a composition leave the field alone.
      for (const key of ['Enter', 'Escape'])
        await input.dispatchEvent('keydown', { key, code: key, isComposing: true });
      expect(await input.inputValue()).toBe(name);
      await input.press('Enter');
      await item(name).waitFor();
    };
    for (const name of [east, west]) {
      await menuOf('Default', view.say(dialogs.create));
      await nameIt(name);
    }
    const rows = (await admin.get<{ id: string; value: string }[]>('assets/nodes/')).body;
    const idOf = (name: string) => rows.find(({ value }) => value === name)?.id ?? '';
    const asset = await buildAsset(admin, sshd, { nodes: [idOf(east)] });
    await page.reload();
    await item(`${east} (1)`).waitFor();
    await item(`${west} (0)`).waitFor();

    // A node's own list shows what hangs below it.
    await item(east).click();
    await view.row(asset.name).waitFor();
    await item(west).click();
    await view.row(asset.name).waitFor({ state: 'detached' });

    await item(east).dragTo(item(west));
    await view.dialog.getByText(east).waitFor();
    await view.dialog.getByRole('button', { name: view.say(dialogs.moveNode) }).click();
    await item(`${west} (1)`).waitFor();
    await item(west).click();
    await view.row(asset.name).waitFor();

    const north = unique('north');
    await menuOf(west, view.say(dialogs.rename));
    await nameIt(north);
    await item(`${north} (1)`).waitFor();

    // A node with content stays, with the reason.
    await menuOf(north, view.say(dialogs.delete));
    await view.dialog.getByText(view.say(SENTENCES.nodes_blocking, { count: 1 })).waitFor();
    expect(
      await view.dialog
        .getByRole('button', { name: view.say(common.delete), exact: true })
        .isDisabled(),
    ).toBe(true);
    await view.dialog.getByRole('button', { name: view.say(common.cancel) }).click();
    const kept = (await admin.get<{ value: string }[]>('assets/nodes/')).body.map(
      ({ value }) => value,
    );
    expect(kept).toEqual(expect.arrayContaining([north, east]));
  },
);

journey(
  'updates the counts after changes to assets here and elsewhere, and sorts numbers in names',
  async (open, { admin, sshd }) => {
    const { body: rows } = await admin.get<{ id: string; key: string }[]>('assets/nodes/');
    const root = rows.find(({ key }) => !key.includes(':'))?.id ?? '';
    const prefix = unique('svc');
    const make = async (name: string) =>
      (await admin.post<{ id: string }>(`assets/nodes/${root}/children/`, { value: name })).body.id;
    for (const name of [`${prefix}-10`, `${prefix}-2`]) await make(name);
    const node = await make(`${prefix}-1`);
    const [first, second] = [
      await buildAsset(admin, sshd, { nodes: [node] }),
      await buildAsset(admin, sshd, { nodes: [node] }),
    ];
    const visitor = await open({ language });
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, '/ui/assets/assets');
    const nodes = page
      .getByRole('tree', { name: view.say(tree.tree) })
      .getByRole('treeitem')
      .filter({ hasText: prefix });
    await nodes.filter({ hasText: `${prefix}-1 (2)` }).waitFor();
    await expect
      .poll(() => nodes.allTextContents())
      .toEqual([`${prefix}-1 (2)`, `${prefix}-2 (0)`, `${prefix}-10 (0)`]);

    await view
      .row(first.name)
      .getByRole('button', { name: view.say(common.more) })
      .click();
    await page.getByRole('menuitem', { name: view.say(common.delete), exact: true }).click();
    await view.dialog.getByRole('button', { name: view.say(common.delete), exact: true }).click();
    await nodes.filter({ hasText: `${prefix}-1 (1)` }).waitFor();

    expect((await admin.delete(`assets/assets/${second.id}/`)).status).toBe(204);
    // The page hears of it by itself, sooner than it would ask.
    await nodes.filter({ hasText: `${prefix}-1 (0)` }).waitFor({ timeout: 20_000 });
  },
);

journey(
  'moves rows to a node by dragging or keyboard after showing the consequences, and filters the tree',
  async (open, { admin, sshd }) => {
    const { body: rows } = await admin.get<{ id: string; key: string }[]>('assets/nodes/');
    const root = rows.find(({ key }) => !key.includes(':'))?.id ?? '';
    const make = async (name: string, above = root) =>
      (await admin.post<{ id: string }>(`assets/nodes/${above}/children/`, { value: name })).body
        .id;
    const [from, to, deep] = [unique('from'), unique('to'), unique('deep')];
    const [fromId, toId] = [await make(from), await make(to)];
    await make(deep, toId);
    const [one, two] = [
      await buildAsset(admin, sshd, { nodes: [fromId] }),
      await buildAsset(admin, sshd, { nodes: [fromId] }),
    ];
    const visitor = await open({ language });
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, `/ui/assets/assets?node=${fromId}`);
    const item = (name: string) =>
      page.getByRole('treeitem').filter({ hasText: name, visible: true });
    await item(`${from} (2)`).waitFor();

    // Dragging by the box of a row asks what is meant; Ctrl would add.
    await view.row(one.name).getByRole('cell').first().dragTo(item(to));
    await page.getByRole('menuitem', { name: view.say(dialogs.addHere) }).click();
    const undo = await view.holdUndo();
    await item(`${to} (1)`).waitFor();
    await item(`${from} (2)`).waitFor();
    await undo.click();
    await item(`${to} (0)`).waitFor();
    await undo.waitFor({ state: 'detached' });

    // The filter keeps the nodes above.
    const filter = page.getByRole('searchbox', { name: view.say(tree.filter) });
    await filter.fill(deep);
    await item(deep).waitFor();
    await item(from).waitFor({ state: 'hidden' });
    expect(await item(to).count()).toBe(1);
    await filter.press('Escape');
    await item(from).waitFor();

    await view.row(two.name).getByRole('checkbox').check();
    await page.getByRole('button', { name: view.say(tree.moveTo) }).click();
    await view.dialog.getByRole('searchbox', { name: view.say(tree.filter) }).fill(deep);
    await view.dialog.getByRole('treeitem').filter({ hasText: deep, visible: true }).click();
    await view.dialog.getByRole('button', { name: view.say(dialogs.moveHere) }).click();
    await view.dialog.getByText(view.say(dialogs.moveQuestion, { count: 1, node: deep })).waitFor();
    await view.dialog.getByRole('button', { name: view.say(dialogs.moveHere) }).click();
    await view.holdUndo();
    await item(`${from} (1)`).waitFor();
    await undo.click();
    await item(`${from} (2)`).waitFor();
  },
);

import { expect } from 'vitest';
import { words } from '../../web/src/console/features/change-control/words.ts';
import { words as dialogs } from '../../web/src/console/tree/dialogs/words.ts';
import { words as tree } from '../../web/src/console/tree/words.ts';
import { words as offer } from '../../web/src/kit/change-control/words.ts';
import { buildGranted, buildPerson, unique } from '../harness/build.ts';
import { useOwnServer } from '../harness/journey.ts';
import { ADMIN } from '../harness/server.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';

const { journey } = useOwnServer();

journey(
  'proposes to place an asset on a granted node, which another administrator approves',
  async (open, { admin, sshd }) => {
    const second = await buildPerson(admin, { role: 'Admin' });
    const { person, account, asset } = await buildGranted(admin, sshd);
    const { body: rows } = await admin.get<{ id: string; key: string }[]>('assets/nodes/');
    const root = rows.find(({ key }) => !key.includes(':'))?.id ?? '';
    const name = unique('granted');
    const { id: node } = (
      await admin.post<{ id: string }>(`assets/nodes/${root}/children/`, { value: name })
    ).body;
    const nodesOf = async () =>
      (await admin.get<{ nodes: string[] }>(`assets/assets/${asset.id}/`)).body.nodes;
    const before = await nodesOf();
    const rule = { name: unique('on node'), users: [person.id], system_users: [account.id] };
    expect((await admin.post('perms/asset-permissions/', { ...rule, nodes: [node] })).status).toBe(
      201,
    );
    expect((await admin.put('change-control/', { is_on: true })).status).toBe(200);

    const visitor = await open({ language: 'en' });
    const { page, watch } = visitor;
    const view = new ConsolePage(visitor);
    watch.allow(/^409 PUT /);
    await signIn(visitor, ADMIN, `/ui/assets/assets?search=${asset.name}`);
    await view.row(asset.name).getByRole('checkbox').check();
    await page.getByRole('button', { name: view.say(tree.addTo) }).click();
    await view.dialog.getByRole('searchbox', { name: view.say(tree.filter) }).fill(name);
    await view.dialog.getByRole('treeitem').filter({ hasText: name, visible: true }).click();
    await view.dialog.getByRole('button', { name: view.say(dialogs.addHere) }).click();
    await view.dialog.getByLabel(view.say(offer.reason)).fill('A new server');
    await view.dialog.getByRole('button', { name: view.say(offer.propose), exact: true }).click();
    await view.dialog.getByRole('link', { name: view.say(offer.open) }).click();
    await view.main.getByText(view.say(words.ownWaits)).waitFor();
    expect(await nodesOf()).toEqual(before);

    const other = await open({ language: 'en' });
    const desk = new ConsolePage(other);
    await signIn(other, second, new URL(page.url()).pathname);
    await desk.button(words.approve).click();
    await desk.dialog.getByRole('button', { name: desk.say(words.approve), exact: true }).click();
    await desk.main.getByText(desk.say(words.applied), { exact: true }).waitFor();
    expect((await nodesOf()).toSorted()).toEqual([...before, node].toSorted());
  },
);

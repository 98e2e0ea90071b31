import { assetPermission } from '@sallyport/contract';
import { expect } from 'vitest';
import { words } from '../../web/src/console/features/change-control/words.ts';
import { words as offer } from '../../web/src/kit/change-control/words.ts';
import { problemsOf } from '../harness/axe.ts';
import { buildGranted, buildPerson, unique } from '../harness/build.ts';
import { useOwnServer } from '../harness/journey.ts';
import { languageOfFile } from '../harness/language.ts';
import { ADMIN } from '../harness/server.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';

const language = languageOfFile(import.meta.url);

const { journey } = useOwnServer();

const DAY = 86_400_000;

journey(
  'proposes a change for a later time, which waits for that time after its approval',
  async (open, { admin, sshd }) => {
    const second = await buildPerson(admin, { role: 'Admin' });
    const { rule } = await buildGranted(admin, sshd);
    const on = await admin.put('change-control/', { is_on: true });
    expect(on.status, on.text).toBe(200);
    const stored = async () =>
      (await admin.get<{ name: string }>(`perms/asset-permissions/${rule.id}/`)).body.name;
    const renamed = unique('renamed');

    const visitor = await open({ language });
    const { page, watch } = visitor;
    const view = new ConsolePage(visitor);
    watch.allow(/^409 PUT /);
    await signIn(visitor, ADMIN, `/ui/perms/asset-permission/${rule.id}/update`);
    await view.field(assetPermission.fields.name.label).fill(renamed);
    await view.submit();
    await view.dialog.getByLabel(view.say(offer.reason)).fill('In the night of the release');
    const tomorrow = new Date(Date.now() + DAY).toISOString().slice(0, 16);
    await view.dialog.getByLabel(view.say(offer.applyAt)).fill(tomorrow);
    expect(await problemsOf(page, 'proposal for a later time')).toEqual([]);
    await view.dialog.getByRole('button', { name: view.say(offer.propose), exact: true }).click();
    await view.dialog.getByRole('link', { name: view.say(offer.open) }).click();
    await view.main.getByText(view.say(words.applyAt), { exact: true }).waitFor();
    const path = new URL(page.url()).pathname;

    const other = await open({ language });
    const desk = new ConsolePage(other);
    await signIn(other, second, path);
    await desk.button(words.approve).click();
    await desk.dialog.getByRole('button', { name: desk.say(words.approve), exact: true }).click();
    await desk.main.getByText(desk.say(words.waitsForTime)).waitFor();
    expect(await problemsOf(other.page, 'change set with a time')).toEqual([]);
    expect(await stored()).toBe(rule.name);
  },
);

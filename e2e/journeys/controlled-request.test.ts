import { expect } from 'vitest';
import { Client } from '../../server/src/testing/client.ts';
import { words as sets } from '../../web/src/console/features/change-control/words.ts';
import { words as decide } from '../../web/src/console/features/tickets/decide/words.ts';
import { problemsOf } from '../harness/axe.ts';
import { buildAsset, buildPerson, buildSystemUser, create } from '../harness/build.ts';
import { useOwnServer } from '../harness/journey.ts';
import { addLicense } from '../harness/license.ts';
import { ADMIN } from '../harness/server.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';

const { journey } = useOwnServer();

journey(
  'opens requested access when a second administrator has approved it as well',
  async (open, { admin, server, sshd }) => {
    await addLicense(server, admin);
    const second = await buildPerson(admin, { role: 'Admin' });
    const person = await buildPerson(admin);
    const { name: hostname } = await buildAsset(admin, sshd);
    const { name: account } = await buildSystemUser(admin, sshd);
    const on = await admin.put('change-control/', { is_on: true });
    expect(on.status, on.text).toBe(200);
    const visitor = new Client(admin.url);
    const { body } = await visitor.post<{ token: string }>('authentication/auth/', {
      username: person.username,
      password: person.password,
    });
    const user = visitor.with({ authorization: `Bearer ${body.token}` });
    const reason = 'The import failed';
    const id = await create(user, 'tickets/request-asset-perm/', {
      hostname,
      system_user: account,
      body: reason,
    });
    const page = `/ui/tickets/tickets/${id}`;

    const first = await open({ language: 'en' });
    const desk = new ConsolePage(first);
    await signIn(first, ADMIN, page);
    await desk.button(decide.approve).click();
    await desk.notified(decide.proposed);
    const link = desk.main.getByRole('link', { name: desk.say(decide.openChangeSet) });
    await link.waitFor();
    expect(await desk.button(decide.approve).count()).toBe(0);
    expect(await problemsOf(first.page, 'a request that waits')).toEqual([]);

    const asking = await open();
    const view = new ConsolePage(asking);
    await signIn(asking, person, page);
    await view.main.getByText('(admin)').first().waitFor();
    expect(
      await view.main.getByRole('link', { name: view.say(decide.openChangeSet) }).count(),
    ).toBe(0);

    const deciding = await open({ language: 'en' });
    const other = new ConsolePage(deciding);
    await signIn(deciding, second, page);
    await other.main.getByRole('link', { name: other.say(decide.openChangeSet) }).click();
    await other.main.getByText(other.say(sets.openRequest)).waitFor();
    expect(await problemsOf(deciding.page, 'the change set of a request')).toEqual([]);
    await other.button(sets.approve).click();
    await other.dialog.getByRole('button', { name: other.say(sets.approve), exact: true }).click();
    await other.main.getByText(other.say(sets.applied), { exact: true }).waitFor();
    await other.main.getByText(other.say(sets.openRequest)).click();
    await other.main.getByText(hostname).first().waitFor();
    await other.button(decide.endNow).waitFor();
    const { body: request } = await user.get<{ status: string; action: string }>(
      `tickets/request-asset-perm/${id}/`,
    );
    expect(request).toMatchObject({ status: 'closed', action: 'approve' });
  },
);

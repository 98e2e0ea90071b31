import { REQUEST_FIELDS } from '@sallyport/contract';
import { expect } from 'vitest';
import { words as news } from '../../web/src/console/features/notifications/words.ts';
import { words as decide } from '../../web/src/console/features/tickets/decide/words.ts';
import { words as requests } from '../../web/src/console/features/tickets/request/words.ts';
import { words as tickets } from '../../web/src/console/features/tickets/words.ts';
import { words as forms } from '../../web/src/console/resource/form/words.ts';
import { words as administrators } from '../../web/src/kit/access-request/words.ts';
import { problemsOf } from '../harness/axe.ts';
import { buildAsset, buildPerson, create, unique } from '../harness/build.ts';
import { useOwnServer } from '../harness/journey.ts';
import { addLicense } from '../harness/license.ts';
import { ADMIN } from '../harness/server.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';

const { journey } = useOwnServer();

journey(
  'shows a user the database that they requested and an administrator granted read-only',
  async (open, { admin, server }) => {
    await addLicense(server, admin);
    const person = await buildPerson(admin);
    const boss = (await admin.get<{ name: string }>('users/profile/')).body;
    const name = unique('orders');
    const app = await create(admin, 'applications/database-apps/', {
      name,
      type: 'mysql',
      host: '127.0.0.1',
      port: 3306,
      database: 'orders',
    });
    const account = unique('reader');
    await create(admin, 'assets/system-users/', {
      name: account,
      username: 'reader',
      protocol: 'mysql',
      password: 'Vault-Secret-81',
      auto_push: false,
    });

    const [asking, deciding] = [await open({ language: 'en' }), await open()];
    const [view, desk] = [new ConsolePage(asking), new ConsolePage(deciding)];
    await signIn(asking, person, '/ui/apps/database');
    await asking.page
      .getByRole('link', { name: view.say(administrators.request), exact: true })
      .click();
    // The search finds the database by a part of its name.
    await view.field(requests.need).fill(name.slice(1));
    await asking.page.getByRole('option', { name }).click();
    await view.field(REQUEST_FIELDS.system_user.label).fill(account);
    await view.unfold(forms.moreOptions);
    await view.main
      .getByRole('switch', { name: view.say(REQUEST_FIELDS.is_read_only.label) })
      .check();
    await view.main.getByText(view.say(requests.goesTo, { names: boss.name })).waitFor();
    await view.field(REQUEST_FIELDS.body.label).fill('Refunds of yesterday');
    expect(await problemsOf(asking.page, 'request')).toEqual([]);
    await view.button(requests.send).click();
    await view.main.getByText(view.say(requests.requested)).waitFor();

    await signIn(deciding, ADMIN, '/ui/tickets/tickets?activeTab=AssignedTicketList');
    await desk.row(name).getByRole('link').first().click();
    await desk.main.getByText('Refunds of yesterday').waitFor();
    // Database and account are found by their names, and what would be opened is shown.
    await desk.button(decide.approve).waitFor();
    expect(await problemsOf(deciding.page, 'decision')).toEqual([]);
    await desk.button(decide.approve).click();
    await desk.notified(decide.approved);
    const { results } = (
      await admin.get<{ results: { is_read_only: boolean; database_apps: string[] }[] }>(
        `perms/database-app-permissions/?user_id=${person.id}&limit=5`,
      )
    ).body;
    expect(results).toMatchObject([{ is_read_only: true, database_apps: [app] }]);

    await view.main
      .getByText(view.say(tickets.ended, { who: `${boss.name}(admin)`, how: '' }).trim())
      .waitFor();
    await asking.page.goto('/ui/apps/database');
    await view.row(name).waitFor();

    // The approver ends the access, and the requester loses it.
    await desk.button(decide.endNow).click();
    await desk.dialog.getByRole('button', { name: desk.say(decide.endNow) }).click();
    await desk.notified(decide.ended);
    await desk.main.getByText(desk.say(decide.isOver)).waitFor();
    await asking.page.reload();
    await view.row(name).waitFor({ state: 'detached' });
  },
);

journey(
  'counts a request at the bell of the approver, and leads to its ticket',
  async (open, { admin, sshd, server }) => {
    await addLicense(server, admin);
    const [person, asset] = await Promise.all([buildPerson(admin), buildAsset(admin, sshd)]);
    const deciding = await open({ language: 'en' });
    const desk = new ConsolePage(deciding);
    const bell = (count: number) =>
      deciding.page.getByRole('button', {
        name:
          count > 0
            ? `${desk.say(news.title)}: ${desk.say(news.unread, { count })}`
            : desk.say(news.title),
        exact: true,
      });
    await admin.post('users/notifications/read/', {});
    await signIn(deciding, ADMIN, '/ui/dashboard');
    await bell(0).waitFor();

    // The request of another browser arrives on the open page.
    const title = unique('Access for the import');
    await create(await server.signIn(person), 'tickets/request-asset-perm/', {
      title,
      hostname: asset.name,
      body: 'The import failed',
    });
    await bell(1).click();
    const panel = deciding.page.getByRole('dialog', { name: desk.say(news.title) });
    expect(await problemsOf(deciding.page, 'bell')).toEqual([]);
    await panel.getByRole('link', { name: title }).click();
    await deciding.page.waitForURL(/\/ui\/tickets\/tickets\/[\da-f-]{36}/);
    await desk.main.getByText('The import failed').waitFor();
    await bell(0).waitFor();
  },
);

import { expect } from 'vitest';
import { words as users } from '../../web/src/console/pages/users/words.ts';
import { COOKIES } from '../../web/src/kit/cookies.ts';
import { common } from '../../web/src/kit/i18n/common.ts';
import { buildPerson, unique } from '../harness/build.ts';
import { useStage } from '../harness/journey.ts';
import { addLicense } from '../harness/license.ts';
import { ADMIN } from '../harness/server.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';

const { journey } = useStage();

for (const language of ['zh', 'en'] as const) {
  journey(
    `people are invited into an organization by their names, and removed from it with their accounts left alive (${language})`,
    async (open, { admin, server }) => {
      await addLicense(server, admin);
      const [first, second] = [await buildPerson(admin), await buildPerson(admin)];
      const name = unique('branch');
      const { id } = (await admin.post<{ id: string }>('orgs/orgs/', { name })).body;

      const visitor = await open({ language });
      visitor.watch.allow(/^400 POST \/api\/v1\/users\/users\/invite\//);
      const view = new ConsolePage(visitor);
      const { url } = server;
      await visitor.context.addCookies([
        { name: COOKIES.organization, value: encodeURIComponent(JSON.stringify({ id, name })), url },
        { name: COOKIES.organizationHeader, value: id, url },
      ]);
      await signIn(visitor, ADMIN, '/ui/users/users');
      await view.button(users.invite).click();
      const accounts = view.dialog.getByLabel(new RegExp(`^${RegExp.escape(view.say(users.accounts))}`)).and(visitor.page.locator('input:not([type=hidden])'));
      const invite = async (...names: string[]) => {
        for (const account of names) {
          await accounts.fill(account);
          await accounts.press('Enter');
        }
        await view.dialog.getByRole('button', { name: view.say(common.confirm), exact: true }).click();
      };
      const nobody = unique('nobody');
      // One who does not exist keeps all of them out, and is named.
      await invite(first.username, `${second.username}@example.com`, nobody);
      await view.dialog.getByText(new RegExp(`${nobody}: `)).waitFor();
      expect((await admin.inOrganization(id).get<{ count: number }>('users/users/?limit=1')).body.count).toBe(0);
      await accounts.press('Backspace');
      await invite();
      await view.told(users.invited);
      await view.row(first.name).waitFor();
      await view.row(second.name).waitFor();

      await view
        .row(first.name)
        .getByRole('button', { name: new RegExp(view.say(common.remove)) })
        .click();
      await view.dialog.getByRole('button', { name: view.say(common.remove), exact: true }).click();
      await view.told(common.removeSuccess);
      await view.row(first.name).waitFor({ state: 'detached' });
      expect((await admin.inOrganization(id).get(`users/users/${first.id}/`)).status).toBe(404);
      expect((await admin.get(`users/users/${first.id}/`)).status).toBe(200);
    },
  );
}

import { DEPUTY_FIELDS, say } from '@sallyport/contract';
import { expect } from 'vitest';
import { words } from '../../web/src/console/features/profile/deputies/words.ts';
import { common } from '../../web/src/kit/i18n/index.ts';
import { problemsAndOtherTheme } from '../harness/axe.ts';
import { buildPerson } from '../harness/build.ts';
import { useStage } from '../harness/journey.ts';
import { ADMIN } from '../harness/server.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';

const { journey } = useStage();

journey(
  'names a deputy on the own profile, shows it to the administrator, and ends it',
  async (open, { admin }) => {
    const [person, deputy] = [await buildPerson(admin), await buildPerson(admin)];
    const visitor = await open({ language: 'zh' });
    visitor.watch.allow(/^400 PUT \/api\/v1\/tickets\/deputy\//);
    const view = new ConsolePage(visitor);
    await signIn(visitor, person, '/ui/users/profile?activeTab=Deputies');
    const field = (name: keyof typeof DEPUTY_FIELDS) =>
      view.main.getByLabel(say(DEPUTY_FIELDS[name].label, 'zh'));
    await field('deputy').first().fill('nobody-of-this-name');
    await field('date_start').first().fill('2026-01-01 00:00');
    await field('date_end').first().fill('2099-01-01 00:00');
    await view.button(common.submit).click();
    await view.main.getByText('366', { exact: false }).first().waitFor();
    const day = 86_400_000;
    const written = (time: number) => new Date(time).toISOString().slice(0, 16).replace('T', ' ');
    await field('date_start')
      .first()
      .fill(written(Date.now() - day));
    await field('date_end')
      .first()
      .fill(written(Date.now() + 7 * day));
    await view.button(common.submit).click();
    await view.main.getByText('nobody-of-this-name', { exact: false }).first().waitFor();
    await field('deputy').first().fill(deputy.username);
    await view.button(common.submit).click();
    await view.main.getByText(`${deputy.name}(${deputy.username})`, { exact: false }).waitFor();
    expect(await problemsAndOtherTheme(visitor.page, 'the deputy of a profile')).toEqual([]);

    const administrator = await open({ language: 'en' });
    const page = new ConsolePage(administrator);
    await signIn(administrator, ADMIN, `/ui/users/users/${deputy.id}`);
    const other = say(words.other, 'en', { name: `${person.name}(${person.username})` });
    await page.main.getByText(other).waitFor();
    expect(await problemsAndOtherTheme(administrator.page, 'the deputies of a user')).toEqual([]);

    await view.button(words.end).click();
    await view.dialog.getByRole('button', { name: view.say(words.end), exact: true }).click();
    // The message is the same as that of the form.
    await expect
      .poll(
        async () =>
          (await admin.get<{ own: unknown }>(`users/users/${person.id}/deputies/`)).body.own,
      )
      .toBeNull();
  },
);

import { ACCOUNT_ROLE_LABELS, DUTY, SETTING_CATEGORIES } from '@sallyport/contract';
import { expect } from 'vitest';
import { problemsOf } from '../harness/axe.ts';
import { buildHolder } from '../harness/build.ts';
import { useStage } from '../harness/journey.ts';
import { languageOfFile } from '../harness/language.ts';
import { ADMIN } from '../harness/server.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signInWithCode } from '../pages/identity-page.ts';
import { signIn } from '../pages/sign-in-page.ts';

const language = languageOfFile(import.meta.url);

const { journey } = useStage();

journey(
  'gives a user a duty, whose console has the pages of this duty only',
  async (open, { admin }) => {
    const person = await buildHolder(admin, {});
    const visitor = await open({ language });
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, `/ui/users/users/${person.id}/update`);
    const radio = (label: string) => view.main.getByRole('radio', { name: label, exact: true });
    await radio(view.say(ACCOUNT_ROLE_LABELS.Auditor)).check();
    await radio(view.say(DUTY.audit.title)).check();
    expect(await problemsOf(visitor.page, 'form with duty')).toEqual([]);
    await view.submit();
    await expect
      .poll(async () => (await admin.get<{ duty: string }>(`users/users/${person.id}/`)).body.duty)
      .toBe('audit');

    const auditor = await open({ language });
    const own = new ConsolePage(auditor);
    await signInWithCode(auditor, person, '/ui/');
    await own.main.getByRole('heading').first().waitFor();
    expect(new URL(auditor.page.url()).pathname).toBe('/ui/terminal/session');
    const links = await own.menu
      .getByRole('link')
      .evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).pathname));
    expect(links.length).toBeGreaterThan(3);
    for (const path of links)
      expect(path).toMatch(/^\/ui\/(agents\/|terminal\/|audits\/|jobs|ops\/|tickets|compliance)/);
  },
);

journey(
  'shows the security administrator the settings of this duty only',
  async (open, { admin }) => {
    const person = await buildHolder(admin, { role: 'Admin', duty: 'security' });
    const visitor = await open({ language });
    const view = new ConsolePage(visitor);
    await signInWithCode(visitor, person, '/ui/settings');
    const topic = (category: keyof typeof SETTING_CATEGORIES) =>
      view.main.getByRole('tab', { name: view.say(SETTING_CATEGORIES[category].title) });
    await topic('security').waitFor();
    for (const category of ['terminal', 'alerts', 'ldap'] as const)
      expect(await topic(category).count(), category).toBe(1);
    for (const category of ['basic', 'email', 'backup'] as const)
      expect(await topic(category).count(), category).toBe(0);
    expect(await problemsOf(visitor.page, 'settings of a duty')).toEqual([]);
  },
);

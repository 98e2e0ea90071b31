import type { CompliancePresets } from '@sallyport/contract';
import { expect } from 'vitest';
import { words as sets } from '../../web/src/console/features/change-control/words.ts';
import { words } from '../../web/src/console/features/compliance/words.ts';
import { words as home } from '../../web/src/console/features/home/words.ts';
import { words as offer } from '../../web/src/kit/change-control/words.ts';
import { problemsOf } from '../harness/axe.ts';
import { buildPerson, create, unique } from '../harness/build.ts';
import { useOwnServer } from '../harness/journey.ts';
import { ADMIN } from '../harness/server.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';

const { journey } = useOwnServer();

journey(
  'applies a compliance preset, prints its report, and takes the preset back',
  async (open, { admin }) => {
    const visitor = await open({ language: 'en' });
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, '/ui/compliance');
    const changes = view.main.getByRole('region', { name: view.say(words.changes) });
    await changes.getByText('from 6 to 10', { exact: true }).waitFor();
    expect(await problemsOf(visitor.page, 'compliance')).toEqual([]);

    await view.main.getByRole('button', { name: view.say(words.apply), exact: true }).click();
    await view.dialog.getByRole('button', { name: view.say(words.apply), exact: true }).click();
    await view.main.getByText(view.say(words.active), { exact: true }).waitFor();
    const { body } = await admin.get<CompliancePresets>('settings/presets/');
    expect(body.active).toBe('team');

    const link = view.main.getByRole('link', { name: 'Report in Chinese', exact: true });
    // The page of the report runs no scripts, so the browser itself downloads it.
    const report = await visitor.page.request.get((await link.getAttribute('href')) ?? '');
    expect([report.status(), await report.text()]).toEqual([
      200,
      expect.stringContaining('<h1>合规报告</h1>'),
    ]);

    await view.main.getByRole('button', { name: view.say(words.undo), exact: true }).click();
    await view.dialog.getByRole('button', { name: view.say(words.undo), exact: true }).click();
    await changes.getByText('from 6 to 10', { exact: true }).waitFor();
    expect((await admin.get<CompliancePresets>('settings/presets/')).body.active).toBe('');
  },
);

journey(
  'proposes a preset and a weak setting under change control, which another administrator approves',
  async (open, { admin }) => {
    const second = await buildPerson(admin, { role: 'Admin' });
    // The dashboard of an empty installation has its first steps only.
    await create(admin, 'assets/assets/', {
      hostname: unique('web'),
      ip: '10.0.0.3',
      platform: 'Linux',
    });
    const on = await admin.put('change-control/', { is_on: true });
    expect(on.status, on.text).toBe(200);
    const visitor = await open({ language: 'zh' });
    visitor.watch.allow(/^409 (POST|PATCH) .*\/settings\//);
    const view = new ConsolePage(visitor);
    const propose = async (reason: string) => {
      await view.dialog.getByLabel(view.say(offer.reason)).fill(reason);
      await view.dialog.getByRole('button', { name: view.say(offer.propose), exact: true }).click();
      const link = view.dialog.getByRole('link', { name: view.say(offer.open) });
      await link.waitFor();
      return new URL((await link.getAttribute('href')) ?? '', visitor.page.url()).pathname;
    };
    await signIn(visitor, ADMIN, '/ui/dashboard');
    const turnOn = view.say(home.turnOn);
    const step = view.main.getByRole('button', { name: turnOn }).first();
    await step.click();
    await view.dialog.getByRole('button', { name: turnOn, exact: true }).click();
    await propose('加固');
    expect(await step.count()).toBe(1);

    await visitor.page.goto('/ui/compliance');
    await view.main.getByRole('button', { name: view.say(words.apply), exact: true }).click();
    await view.dialog.getByRole('button', { name: view.say(words.apply), exact: true }).click();
    const page = await propose('等保整改');
    const active = async () =>
      (await admin.get<CompliancePresets>('settings/presets/')).body.active;
    expect(await active()).toBe('');

    const other = await open({ language: 'en' });
    const desk = new ConsolePage(other);
    await signIn(other, second, page);
    await desk.main.getByText('等保整改').waitFor();
    expect(await problemsOf(other.page, 'the change set of a preset')).toEqual([]);
    await desk.button(sets.approve).click();
    await desk.dialog.getByRole('button', { name: desk.say(sets.approve), exact: true }).click();
    await desk.main.getByText(desk.say(sets.applied), { exact: true }).waitFor();
    expect(await active()).toBe('team');
  },
);

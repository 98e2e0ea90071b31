import type { CompliancePresets } from '@sallyport/contract';
import { expect } from 'vitest';
import { words } from '../../web/src/console/features/compliance/words.ts';
import { problemsOf } from '../harness/axe.ts';
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

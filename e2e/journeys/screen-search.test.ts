import { expect } from 'vitest';
import { words } from '../../web/src/console/features/sessions/screens/words.ts';
import { problemsOf } from '../harness/axe.ts';
import { buildGranted } from '../harness/build.ts';
import { useOwnServer } from '../harness/journey.ts';
import { languageOfFile } from '../harness/language.ts';
import { ADMIN } from '../harness/server.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { replayPage } from '../pages/replay-page.ts';
import { signIn } from '../pages/sign-in-page.ts';
import { connectTo } from '../pages/terminal-page.ts';

const language = languageOfFile(import.meta.url);

const { journey } = useOwnServer();

/** The server indexes recordings every minute. */
const INDEXED = { timeout: 150_000, interval: 1000 };

journey(
  'finds a session by the text on its screen, and replays it from there',
  async (open, { admin, sshd }) => {
    const { person, asset } = await buildGranted(admin, sshd);
    await admin.patch('settings/setting/', { TERMINAL_RECORDING_INDEX: 'plain' });
    const worker = await open({ language });
    await signIn(worker, person, '/luna/');
    const terminal = await connectTo(worker.page, language, asset);
    await terminal.ready();
    await terminal.run('echo "needle $((40+2))"');
    await terminal.shows('needle 42');
    await terminal.run('exit');

    const visitor = await open({ language });
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, '/ui/terminal/session?activeTab=ScreenSearch');
    const field = view.main.getByLabel(view.say(words.phrase));
    const line = view.main.getByRole('listitem').filter({ hasText: 'needle 42' }).last();
    await field.fill('needle 43');
    await field.press('Enter');
    await view.main.getByText(view.say(words.none)).waitFor();
    await field.fill('NEEDLE 42');
    await expect
      .poll(async () => {
        await field.press('Enter');
        return line.count();
      }, INDEXED)
      .toBe(1);
    await view.main.getByRole('link', { name: asset.name }).waitFor();
    expect(await problemsOf(visitor.page, 'screen search')).toEqual([]);
    const window = await visitor.windowFrom(() => line.getByRole('link').click());
    await replayPage(window, language).playUntil('needle 42');
  },
  300_000,
);

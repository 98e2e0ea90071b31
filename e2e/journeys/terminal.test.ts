import { expect } from 'vitest';
import { buildGranted } from '../harness/build.ts';
import { useStage } from '../harness/journey.ts';
import { signIn } from '../pages/sign-in-page.ts';
import { connectTo } from '../pages/terminal-page.ts';

const { journey } = useStage();

/** The answer of stty and the prompt behind it. */
const SIZE = /typed-42\s+(\d+) (\d+)\s+\S*\$ ?$/;

journey(
  'runs a real shell, follows the size of the window, and ends with the shell',
  async (open, { admin, sshd }) => {
    const { person, asset } = await buildGranted(admin, sshd);
    const visitor = await open({ language: 'en' });
    await signIn(visitor, person);
    const terminal = await connectTo(visitor.page, 'en', asset);
    await terminal.ready();
    await terminal.run('echo typed-$((40+2)); stty size');
    // The prompt after the answer marks its end.
    await terminal.shows(SIZE);
    const before = SIZE.exec(await terminal.text());
    await visitor.page.setViewportSize({ width: 1000, height: 500 });
    await expect
      .poll(async () => {
        await terminal.run('clear; stty size');
        await terminal.shows(/^\d+ \d+\s/);
        const after = /^(\d+) (\d+)/.exec(await terminal.text());
        return Number(after?.[1]) < Number(before?.[1]) && Number(after?.[2]) < Number(before?.[2]);
      })
      .toBe(true);
    await terminal.run('exit');
    await terminal.notice.getByText('The session has ended').waitFor();
  },
);

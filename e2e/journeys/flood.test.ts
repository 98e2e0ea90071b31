import { open as openFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { buildGranted } from '../harness/build.ts';
import { useOwnServer } from '../harness/journey.ts';
import { signIn } from '../pages/sign-in-page.ts';
import { connectTo } from '../pages/terminal-page.ts';

const { journey } = useOwnServer();

const GIBIBYTE = 1024 ** 3;

/** Writes a text of a size that no buffer should hold. */
async function writeBigFile(path: string): Promise<void> {
  const file = await openFile(path, 'w', 0o644);
  const block = Buffer.from(
    'The quick brown fox jumps over the lazy dog, again and again.\n'.repeat(100_000),
  );
  for (let at = 0; at < GIBIBYTE; at += block.length) await file.write(block);
  await file.close();
}

const FLOODS = [
  { what: 'yes', command: 'yes', line: 'y' },
  { what: 'cat of a file of one gibibyte', command: 'cat big.txt', line: 'The quick brown fox' },
] as const;

for (const { what, command, line } of FLOODS) {
  journey(
    `stops a flood (${what}) with Ctrl-C, and keeps the session open`,
    async (open, { admin, sshd }) => {
      const big = join(sshd.home, 'big.txt');
      if (command.includes('big.txt')) await writeBigFile(big);
      const { person, asset } = await buildGranted(admin, sshd);
      const visitor = await open({ language: 'en' });
      const { page } = visitor;
      await signIn(visitor, person, '/luna/');
      const terminal = await connectTo(page, 'en', asset);
      await terminal.ready();
      await terminal.run(command);
      await terminal.shows(new RegExp(`${line}.*\\n${line}`));
      // The page draws and takes keys meanwhile.
      await page.evaluate(
        () => new Promise((settle) => requestAnimationFrame(() => requestAnimationFrame(settle))),
      );
      // It still flows: nothing stopped by itself.
      expect(await terminal.text()).not.toMatch(/\$$/);
      await page.keyboard.press('Control+c');
      await terminal.shows(/\^C[\s\S]*\$$/);
      await rm(big, { force: true });
      await terminal.run('clear; echo alive-$((40+2))');
      await terminal.shows('alive-42');
    },
  );
}

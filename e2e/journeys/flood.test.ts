import { open as openFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { buildGranted } from '../harness/build.ts';
import { useStage } from '../harness/journey.ts';
import { signIn } from '../pages/sign-in-page.ts';
import { connectTo } from '../pages/terminal-page.ts';

const { journey } = useStage();

const MEBIBYTE = 1024 * 1024;
const GIBIBYTE = 1024 * MEBIBYTE;

/** Writes a text of a size that no buffer should hold. */
async function writeBigFile(path: string): Promise<void> {
  const file = await openFile(path, 'w', 0o644);
  const block = Buffer.from('The quick brown fox jumps over the lazy dog, again and again.\n'.repeat(100_000));
  for (let at = 0; at < GIBIBYTE; at += block.length) await file.write(block);
  await file.close();
}

/** How long the page takes to draw twice: what somebody who scrolls or clicks would wait. */
function twoFrames(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((settle) => {
        const began = performance.now();
        requestAnimationFrame(() => requestAnimationFrame(() => settle(performance.now() - began)));
      }),
  );
}

const FLOODS = [
  { what: 'yes', command: 'yes', line: 'y' },
  { what: 'cat of a file of one gibibyte', command: 'cat big.txt', line: 'The quick brown fox' },
] as const;

for (const { what, command, line } of FLOODS) {
  journey(
    `a flood (${what}) neither freezes the page nor fills the server’s memory, and Ctrl-C acts within half a second`,
    async (open, { admin, sshd, server }) => {
      const big = join(sshd.home, 'big.txt');
      if (command.includes('big.txt')) await writeBigFile(big);
      const { person, asset } = await buildGranted(admin, sshd);
      const visitor = await open({ language: 'en' });
      const { page } = visitor;
      await signIn(visitor, person, '/luna/');
      const terminal = await connectTo(page, 'en', asset);
      await terminal.ready();
      const before = server.residentBytes();
      await terminal.run(command);
      await terminal.shows(new RegExp(`${line}.*\\n${line}`));

      let largest = 0;
      let longest = 0;
      for (let second = 0; second < 3; second++) {
        longest = Math.max(longest, await twoFrames(page));
        largest = Math.max(largest, server.residentBytes());
        await page.waitForTimeout(1_000);
      }
      // It still flows: nothing stopped by itself.
      expect(await terminal.text()).not.toMatch(/\$$/);
      await page.keyboard.press('Control+c');
      const pressed = Date.now();
      await terminal.shows(/\^C[\s\S]*\$$/, 5_000);
      const stopped = Date.now() - pressed;
      await rm(big, { force: true });

      expect({ grown: largest - before, longest, stopped }).toSatisfy(
        (measured: { grown: number; longest: number; stopped: number }) => measured.grown < 64 * MEBIBYTE && measured.longest < 500 && measured.stopped < 500,
      );
      await terminal.run('clear; echo alive-$((40+2))');
      await terminal.shows('alive-42');
    },
  );
}

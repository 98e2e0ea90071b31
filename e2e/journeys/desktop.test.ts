import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { startXvnc } from '../../server/src/testing/desktops/xvnc.ts';
import { problemsOf } from '../harness/axe.ts';
import { buildDesktop, buildPerson } from '../harness/build.ts';
import { useOwnServer } from '../harness/journey.ts';
import { ADMIN } from '../harness/server.ts';
import { recordedSession } from '../harness/sessions.ts';
import { fromMiddle, pixels, showsColor } from '../pages/desktop-page.ts';
import { replayPage } from '../pages/replay-page.ts';
import { sessionsPage } from '../pages/sessions-page.ts';
import { signIn } from '../pages/sign-in-page.ts';

const { journey } = useOwnServer();

journey(
  'controls, watches and replays a desktop exactly, limits the clipboard by permission, and never reveals the password',
  async (open, { admin }) => {
    const xvnc = await startXvnc({ size: '400x300' });
    try {
      await xvnc.fill('#336699');
      const person = await buildPerson(admin);
      const { asset, rule } = await buildDesktop(admin, person, xvnc);
      const [visitor, guard] = [await open({ language: 'en' }), await open({ language: 'zh' })];
      const { page } = visitor;
      const frames: Buffer[] = [];
      page.on('websocket', (socket) =>
        socket.on('framereceived', ({ payload }) => frames.push(Buffer.from(payload))),
      );
      await signIn(visitor, person, `/luna/?login_to=${asset.id}`);
      const desktop = page.getByRole('application', { name: new RegExp(asset.name) });
      await desktop.waitFor();
      await showsColor(page, [0x33, 0x66, 0x99]);
      expect(await problemsOf(page, 'desktop')).toEqual([]);

      // The keyboard goes to the desktop and comes back.
      await desktop.locator('canvas').click();
      await page.keyboard.press('Control+Alt+Shift');
      await page.getByRole('button', { name: 'Send keys' }).and(page.locator(':focus')).waitFor();
      await page.getByRole('button', { name: 'Clipboard' }).click();
      await page.getByText('Your permission does not include clipboard text').last().waitFor();
      await page.keyboard.press('Escape');
      await admin.patch(`perms/asset-permissions/${rule.id}/`, {
        actions: ['connect', 'clipboard_paste'],
      });
      await page.getByRole('button', { name: 'Clipboard' }).click();
      await page
        .getByRole('textbox', { name: 'Text to paste on the desktop' })
        .fill('from the page');
      await page.getByRole('button', { name: 'Send to the desktop’s clipboard' }).click();
      await page.keyboard.press('Escape');

      // An administrator starts watching in mid-session.
      await signIn(guard, ADMIN, '/ui/terminal/session');
      const watched = await sessionsPage(guard).watch(person.name, asset.name);
      await showsColor(watched, [0x33, 0x66, 0x99]);
      expect(await problemsOf(watched, 'watched desktop')).toEqual([]);
      expect(await watched.locator('.xterm').isVisible()).toBe(false);
      await xvnc.fill('#993311');
      await showsColor(watched, [0x99, 0x33, 0x11]);
      await showsColor(page, [0x99, 0x33, 0x11]);
      const live = await pixels(page);

      await sessionsPage(guard).terminate(person.name, asset.name);
      await page.getByText('An administrator ended the session').waitFor();
      const id = await recordedSession(admin, `user_id=${person.id}`);
      await sessionsPage(guard).tab('history');
      const replay = await sessionsPage(guard).replay(person.name, asset.name);
      const player = replayPage(replay, 'zh');
      await player.play.click();
      await showsColor(replay, [0x99, 0x33, 0x11]);
      await expect.poll(() => pixels(replay)).toBe(live);
      await player.finish();
      // A jump back draws only the necessary updates; playing from the beginning shows the same
      // picture.
      for (const moment of ['5', '9']) {
        await player.jump('End');
        await player.jump(moment);
        const jumped = await pixels(replay);
        await player.jump('Home');
        await player.jump(moment);
        expect(await pixels(replay)).toBe(jumped);
      }
      await player.jump('End');
      expect(await pixels(replay)).toBe(live);
      // Hovering over the time line shows the picture of that moment, and leaves the player
      // unchanged.
      expect(await player.thumbnail(1)).toEqual([0x99, 0x33, 0x11]);
      expect(await problemsOf(replay, 'replayed desktop')).toEqual([]);
      expect(await pixels(replay)).toBe(live);
      // In a window of another size the pointer is at the same place of the picture: the click was
      // in the middle.
      await replay.setViewportSize({ width: 800, height: 600 });
      await expect.poll(() => fromMiddle(replay)).toBeLessThan(0.05);

      // The page of the session shows the end, and the moment that is chosen.
      await guard.page.goto(`/ui/terminal/sessions/${id}`);
      await guard.page.getByRole('slider').scrollIntoViewIfNeeded();
      await showsColor(guard.page, [0x99, 0x33, 0x11]);
      await guard.page.getByRole('slider').press('Home');
      await expect.poll(() => guard.page.url()).toContain('at=0');
      await guard.page.getByRole('slider').press('End');
      await showsColor(guard.page, [0x99, 0x33, 0x11]);
      expect(await problemsOf(guard.page, 'session of a desktop')).toEqual([]);

      const everything = Buffer.concat(frames);
      expect(everything.length).toBeGreaterThan(1000);
      expect(everything.includes(xvnc.password)).toBe(false);
      expect(await page.content()).not.toContain(xvnc.password);
    } finally {
      await xvnc.stop();
    }
  },
);

/** Scrolls cells with enough colors that a server sends some as photographs, then blue lines. */
const COLORS = String.raw`i=0; while [ $i -lt 60 ]; do i=$((i+1)); j=0; while [ $j -lt 60 ]; do j=$((j+1))
c=$(((i*j*7+j)%240+16)); [ $i -gt 55 ] && c=21; printf "\033[48;5;%dm " $c; done; printf "\033[0m\n"; done; exec sleep 600`;

/** Waits until the many colors and the blue lines are on a page. */
async function showsColors(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const canvas = document.querySelector('canvas');
    const bytes =
      canvas?.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data ??
      new Uint8ClampedArray();
    const words = new Uint32Array(bytes.buffer);
    return new Set(words).size > 100 && words.filter((word) => word === 0xffff0000).length > 2000;
  });
}

journey(
  'replays photographs and copies of a desktop the same way, however a moment is reached',
  async (open, { admin }) => {
    const xvnc = await startXvnc({ size: '400x300' });
    const program = spawn(
      'xterm',
      ['-display', xvnc.display, '-fs', '6', '-geometry', '60x14+20+20', '-e', 'sh', '-c', COLORS],
      { stdio: 'ignore' },
    );
    try {
      const person = await buildPerson(admin);
      const { asset } = await buildDesktop(admin, person, xvnc);
      const visitor = await open({ language: 'en' });
      await signIn(visitor, person, `/luna/?login_to=${asset.id}`);
      await showsColors(visitor.page);
      await visitor.page.goto('about:blank');
      const id = await recordedSession(admin, `user_id=${person.id}`);
      const guard = await open({ language: 'en' });
      await signIn(guard, ADMIN, `/luna/replay/${id}/`);
      const player = replayPage(guard.page, 'en');
      await player.play.waitFor();
      await player.jump('End');
      await showsColors(guard.page);
      const end = await pixels(guard.page);
      for (const moment of ['5', '8']) {
        await player.jump(moment);
        const jumped = await pixels(guard.page);
        await player.jump('Home');
        await player.jump(moment);
        expect(await pixels(guard.page)).toBe(jumped);
      }
      await player.jump('End');
      expect(await pixels(guard.page)).toBe(end);
    } finally {
      program.kill();
      await xvnc.stop();
    }
  },
);

journey(
  'types texts of an input method once, and holds no key down, on a desktop',
  async (open, { admin }) => {
    const xvnc = await startXvnc({ size: '400x300' });
    const folder = await mkdtemp(join(tmpdir(), 'sallyport-typed-'));
    const file = join(folder, 'line');
    const program = spawn(
      'xterm',
      ['-u8', '-display', xvnc.display, '-e', 'sh', '-c', 'cat >"$0"', file],
      { stdio: 'ignore', env: { ...process.env, LC_ALL: 'C.UTF-8' } },
    );
    try {
      await new Promise((resolve, reject) => program.once('spawn', resolve).once('error', reject));
      const person = await buildPerson(admin);
      const { asset } = await buildDesktop(admin, person, xvnc);
      const visitor = await open({ language: 'en' });
      const { page } = visitor;
      await signIn(visitor, person, `/luna/?login_to=${asset.id}`);
      await page.getByRole('application', { name: new RegExp(asset.name) }).waitFor();
      await page.getByRole('button', { name: 'Type with an input method or a phone' }).click();
      const field = page.getByRole('textbox', { name: 'Text typed here goes to the desktop' });
      await field.and(page.locator(':focus')).waitFor();
      const browser = await page.context().newCDPSession(page);
      const compose = async (...texts: string[]) => {
        for (const text of texts)
          await browser.send('Input.imeSetComposition', {
            text,
            selectionStart: text.length,
            selectionEnd: text.length,
          });
        await browser.send('Input.insertText', { text: texts.at(-1) ?? '' });
      };
      await compose('n', 'ni', 'nih', 'nihao', '你好');
      // A word of a keyboard that composes Latin words, and its correction.
      await compose('s', 'su', 'sur', 'sure');
      await page.keyboard.type(' xy');
      await page.keyboard.press('Backspace');
      await browser.send('Input.insertText', { text: '，' });
      await page.keyboard.press('Enter');
      await expect.poll(() => readFile(file, 'utf8').catch(() => '')).toBe('你好sure x，\n');

      // The picture itself takes the same texts. A key that is held when a menu opens is released.
      const picture = page.getByRole('textbox', { name: new RegExp(asset.name) });
      const focusPicture = async () => {
        await page.locator('canvas').click();
        await picture.and(page.locator(':focus')).waitFor();
      };
      await focusPicture();
      await compose('s', 'shi', '世界');
      await page.keyboard.down('Control');
      await page.getByRole('button', { name: 'Send keys' }).focus();
      await page.keyboard.up('Control');
      await focusPicture();
      await page.keyboard.type('a');
      await compose('e', 'é');
      await page.keyboard.press('Enter');
      await expect.poll(() => readFile(file, 'utf8')).toBe('你好sure x，\n世界aé\n');
    } finally {
      program.kill();
      await xvnc.stop();
      await rm(folder, { recursive: true });
    }
  },
);

import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { startPrivateXrdp } from '../../server/src/testing/desktops/private-xrdp.ts';
import { problemsOf } from '../harness/axe.ts';
import { buildAsset, buildPermission, buildPerson, create, unique } from '../harness/build.ts';
import { useOwnServer } from '../harness/journey.ts';
import { addLicense } from '../harness/license.ts';
import { ADMIN } from '../harness/server.ts';
import { recordedSession } from '../harness/sessions.ts';
import { replayPage } from '../pages/replay-page.ts';
import { sessionsPage } from '../pages/sessions-page.ts';
import { signIn } from '../pages/sign-in-page.ts';

const { journey } = useOwnServer();

interface Picture {
  readonly width: number;
  /** Pixels of the desktop's background color. */
  readonly background: number;
  /** Digest of all pixels. */
  readonly digest: number;
}

async function pictureOf(page: Page): Promise<Picture> {
  const frame = page.locator('iframe[src="/luna/rdp/"]:not([data-thumbnails] *)').first();
  if ((await frame.count()) === 0) return { width: 0, background: 0, digest: 0 };
  const canvas = frame.contentFrame().locator('canvas');
  return canvas.evaluate((element) => {
    const canvas = element as HTMLCanvasElement;
    const pixels =
      canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data ??
      new Uint8ClampedArray(0);
    let background = 0;
    let digest = 0;
    for (let at = 0; at < pixels.length; at += 4) {
      const color =
        ((pixels[at] ?? 0) << 16) | ((pixels[at + 1] ?? 0) << 8) | (pixels[at + 2] ?? 0);
      if (color === 0x204060) background++;
      digest = (Math.imul(digest, 31) + color) | 0;
    }
    return { width: canvas.width, background, digest };
  });
}

journey(
  'shows, controls, watches and replays an RDP desktop exactly, returns the keyboard, and never reveals the password',
  async (open, { admin }) => {
    const xrdp = await startPrivateXrdp();
    await admin.patch('settings/setting/', { terminal: { TERMINAL_RECORDING_KEYS: true } });
    try {
      const [person, asset] = await Promise.all([
        buildPerson(admin),
        buildAsset(admin, xrdp, { protocols: [`rdp/${xrdp.port}`], platform: 'Windows' }),
      ]);
      const name = unique('account');
      const id = await create(admin, 'assets/system-users/', {
        name,
        username: 'plain',
        protocol: 'rdp',
        password: xrdp.passwords.plain,
        auto_push: false,
      });
      await buildPermission(admin, [person], [asset], [{ id, name }], {
        actions: ['connect', 'clipboard_paste'],
      });
      const [visitor, guard] = [await open({ language: 'en' }), await open({ language: 'en' })];
      const { page } = visitor;
      const frames: string[] = [];
      page.on('websocket', (socket) =>
        socket.on('framereceived', ({ payload }) =>
          frames.push(Buffer.from(payload).toString('latin1')),
        ),
      );
      await signIn(visitor, person, '/luna/');
      await page.getByRole('button', { name: 'Settings', exact: true }).click();
      await page
        .getByRole('combobox', { name: 'Keyboard layout' })
        .selectOption({ label: 'English (United Kingdom)' });
      expect(await problemsOf(page, 'settings')).toEqual([]);
      await page.goto(`/luna/?login_to=${asset.id}`);
      await expect.poll(async () => (await pictureOf(page)).background).toBeGreaterThan(400_000);
      expect(await xrdp.inside('cat /var/log/xrdp.log')).toContain('keylayout:[0x00000809]');

      // The terminal of the desktop has the keyboard where the pointer is.
      const frame = page.frameLocator('iframe[title]');
      // The desktop has the size of its place: each of its pixels is one of the page.
      const unused = await frame.locator('canvas').evaluate((element) => {
        const { width, height } = element.getBoundingClientRect();
        const canvas = element as HTMLCanvasElement;
        return { width: width - canvas.width, height: height - canvas.height };
      });
      expect(unused.width).toBeOneOf([0, 1, 2, 3]);
      expect(unused.height).toBeOneOf([0, 1]);
      await frame.locator('canvas').click({ position: { x: 120, y: 120 } });
      await page.keyboard.type('mkdir typed\n');
      await expect.poll(() => xrdp.inside('ls /home/plain')).toContain('typed');

      const { width: firstWidth } = await pictureOf(page);

      // The desktop takes the size of the window; watching and replay below follow it.
      await page.getByRole('button', { name: 'Size: Scale to the window' }).click();
      await page.getByRole('menuitem', { name: 'Resize the desktop to the window' }).click();
      await page.setViewportSize({ width: 1150, height: 760 });
      // Widths of desktops are multiples of four.
      const width = await frame.locator('body').evaluate(({ clientWidth }) => clientWidth & ~3);
      await expect.poll(() => xrdp.onDesktop('plain', 'xrandr')).toContain(`current ${width} x`);
      await expect.poll(async () => (await pictureOf(page)).width).toBe(width);
      await expect.poll(async () => (await pictureOf(page)).background).toBeGreaterThan(400_000);
      await frame.locator('canvas').click({ position: { x: 120, y: 120 } });
      await page.keyboard.type('mkdir resized\n');
      await expect.poll(() => xrdp.inside('ls /home/plain')).toContain('resized');

      await page.keyboard.press('Control+Alt+Shift');
      await page.getByText('Keystrokes are recorded, including passwords').waitFor();
      const keys = page.getByRole('button', { name: 'Send keys' });
      await expect
        .poll(() => keys.evaluate((element) => element === document.activeElement))
        .toBe(true);
      expect(await problemsOf(page, 'desktop')).toEqual([]);

      await signIn(guard, ADMIN, '/ui/terminal/session');
      const watched = await sessionsPage(guard).watch(person.name, asset.name);
      const isSame = async () =>
        (await pictureOf(watched)).digest === (await pictureOf(page)).digest;
      await expect.poll(isSame).toBe(true);

      await sessionsPage(guard).terminate(person.name, asset.name);
      await page.getByText('An administrator ended the session').waitFor();
      const last = await pictureOf(page);
      expect(last.background).toBeGreaterThan(400_000);
      const recorded = await recordedSession(admin, `user_id=${person.id}`);
      await sessionsPage(guard).tab('history');
      const replay = await sessionsPage(guard).replay(person.name, asset.name);
      const player = replayPage(replay, 'en');
      await player.play.click();
      await expect.poll(async () => (await pictureOf(replay)).digest).toBe(last.digest);
      await player.finish();
      // A jump back draws only the necessary updates; playing from the beginning shows the same
      // picture.
      await player.jump('5');
      const jumped = (await pictureOf(replay)).digest;
      await player.jump('Home');
      await player.jump('5');
      expect((await pictureOf(replay)).digest).toBe(jumped);
      await player.jump('End');
      expect((await pictureOf(replay)).digest).toBe(last.digest);
      expect(await player.thumbnail(1)).toEqual([0x20, 0x40, 0x60]);
      // The list of typed keys links to their moments.
      const typed = replay.getByRole('complementary', { name: 'Keys' });
      await typed.getByRole('textbox', { name: 'Search keys' }).fill('mkdir');
      await typed.getByRole('button', { name: /mkdir typed\[Enter\]/ }).click();
      await typed.locator('button[aria-current]').filter({ hasText: 'mkdir' }).waitFor();
      await replay.getByRole('button', { name: /^Next keys/ }).waitFor();
      expect(await problemsOf(replay, 'replayed keys')).toEqual([]);
      // The replay has the size of each moment.
      await expect.poll(async () => (await pictureOf(replay)).width).toBe(firstWidth);
      await replay.keyboard.press('Escape');
      await replay.getByRole('button', { name: 'Play', exact: true }).focus();
      await player.jump('End');
      expect(await pictureOf(replay)).toEqual(last);
      // The page of the session shows its end.
      await guard.page.goto(`/ui/terminal/sessions/${recorded}`);
      await guard.page.getByRole('slider').scrollIntoViewIfNeeded();
      await expect.poll(async () => (await pictureOf(guard.page)).digest).toBe(last.digest);

      const all = frames.join('');
      expect(all.includes(xrdp.passwords.plain)).toBe(false);
      expect(all.includes(Buffer.from(xrdp.passwords.plain, 'utf16le').toString('latin1'))).toBe(
        false,
      );
    } finally {
      await admin.patch('settings/setting/', { terminal: { TERMINAL_RECORDING_KEYS: false } });
      await xrdp.stop();
    }
  },
);

journey(
  'opens a remote app from the user’s page in a separate window, and names it in the session list',
  async (open, { admin, server }) => {
    await addLicense(server, admin);
    const xrdp = await startPrivateXrdp();
    try {
      const [person, asset] = await Promise.all([
        buildPerson(admin),
        buildAsset(admin, xrdp, { protocols: [`rdp/${xrdp.port}`], platform: 'Windows' }),
      ]);
      const account = await create(admin, 'assets/system-users/', {
        name: unique('account'),
        username: 'plain',
        protocol: 'rdp',
        password: xrdp.passwords.plain,
        auto_push: false,
      });
      const name = unique('program');
      // The window of the program has a color that the desktop has not.
      const params = {
        custom_cmdline: '-geometry 200x80+0+0 -bg rgb:20/40/60 -e',
        custom_target: 'sleep 600',
      };
      const app = await create(admin, 'applications/remote-apps/', {
        name,
        asset: asset.id,
        type: 'custom',
        path: '/usr/bin/xterm',
        params,
      });
      await create(admin, 'perms/remote-app-permissions/', {
        name: unique('rule'),
        users: [person.id],
        remote_apps: [app],
        system_users: [account],
      });
      for (const [language, connect, notGranted] of [
        ['en', 'Connect to', 'You have no access to this remote app'],
        ['zh', '连接', '您没有该远程应用的授权'],
      ] as const) {
        const visitor = await open({ language });
        await signIn(visitor, person, '/ui/apps/remoteapp');
        const { page } = visitor;
        // It opens in another window; here it takes the place of the list.
        await page.goto(
          (await page.getByRole('link', { name: `${connect} ${name}` }).getAttribute('href')) ?? '',
        );
        await page.getByRole('heading', { name, level: 1 }).waitFor();
        await expect.poll(async () => (await pictureOf(page)).background).toBeGreaterThan(100_000);
        // The picture fills the window below its bars.
        const fills = async () => {
          const { width = 0, height = 0 } =
            (await page.locator('iframe[title]').boundingBox()) ?? {};
          return [width > 1200, height > 700];
        };
        await expect.poll(fills).toEqual([true, true]);
        expect(await problemsOf(page, 'remote app')).toEqual([]);
        if (language === 'en') {
          const guard = await open({ language: 'en' });
          await signIn(guard, ADMIN, '/ui/terminal/session');
          await sessionsPage(guard).terminate(person.name, name);
          await page.getByText('An administrator ended the session').waitFor();
        }
        await page.goto(`/luna/?type=remote_app&login_to=${asset.id}`);
        await page.getByRole('heading', { name: notGranted }).waitFor();
      }
    } finally {
      await xrdp.stop();
    }
  },
);

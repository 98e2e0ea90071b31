import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { buildGranted, create, unique } from '../harness/build.ts';
import { useOwnServer } from '../harness/journey.ts';
import { countLayoutShift, movesOf } from '../harness/layout-shift.ts';
import { addLicense } from '../harness/license.ts';
import { ADMIN } from '../harness/server.ts';
import { replayPage } from '../pages/replay-page.ts';
import { signIn } from '../pages/sign-in-page.ts';
import { connectTo } from '../pages/terminal-page.ts';

const { journey } = useOwnServer();

const PHONE = { width: 390, height: 844 };

journey(
  'opens a long ticket at its top, with the row of tabs below the screen',
  async (open, { admin, server }) => {
    await addLicense(server, admin);
    const { body: me } = await admin.get<{ id: string }>('users/profile/');
    const id = await create(admin, 'tickets/tickets/', {
      title: unique('Long request'),
      type: 'general',
      body: Array.from({ length: 60 }, (_, index) => `Line ${index}`).join('\n'),
      assignees: [me.id],
    });
    const visitor = await open({ language: 'zh', size: PHONE });
    const { page } = visitor;
    await signIn(visitor, ADMIN, `/ui/tickets/tickets/${id}`);
    // The row scrolls to the open tab when it is drawn.
    const tab = page.getByRole('tab', { selected: true });
    await tab.waitFor();
    await page.getByText('Line 0').waitFor();
    expect(await tab.evaluate((element) => element.getBoundingClientRect().top)).toBeGreaterThan(
      844,
    );
    expect(await page.evaluate(() => scrollY)).toBe(0);
  },
);

/** The size of the letters, and whether a text of the picture is in sight. */
const seen = (page: Page, text: string) =>
  page.evaluate((wanted) => {
    const rows = document.querySelector('.xterm-rows');
    const host = rows?.closest('main')?.getBoundingClientRect();
    const row = [...(rows?.children ?? [])]
      .filter(({ textContent }) => textContent?.includes(wanted))
      .at(-1);
    const box = row?.querySelector('span')?.getBoundingClientRect();
    const inSight = Boolean(
      box &&
        host &&
        box.left >= host.left &&
        box.left < host.right &&
        box.top >= host.top &&
        box.bottom <= host.bottom,
    );
    return { size: rows ? Number.parseFloat(getComputedStyle(rows).fontSize) : 0, inSight };
  }, text);

journey(
  'keeps watching and replaying readable on a phone, follows the cursor, and does not shift while loading',
  async (open, { admin, sshd }) => {
    const { person, asset } = await buildGranted(admin, sshd);
    const visitor = await open({ language: 'en' });
    await signIn(visitor, person, '/luna/');
    const terminal = await connectTo(visitor.page, 'en', asset);
    await terminal.ready();
    await terminal.run('seq 1 60; echo end-$((40+2))');
    await terminal.shows('end-42');
    const live = await admin.get<{ id: string }[]>(
      `terminal/sessions/?is_finished=false&asset_id=${asset.id}`,
    );
    const id = live.body[0]?.id ?? '';

    const guard = await open({ language: 'en', size: PHONE });
    const { page } = guard;
    await countLayoutShift(guard);
    await signIn(guard, ADMIN, '/ui/');
    await page.goto(`/luna/join/?shareroom=${id}`);
    await page.getByRole('main').getByText('end-42').waitFor();
    await expect.poll(() => seen(page, 'end-42')).toMatchObject({ inSight: true });
    expect((await seen(page, 'end-42')).size).toBeGreaterThanOrEqual(9);
    const header = await page.locator('header').boundingBox();
    expect(header?.height ?? 999).toBeLessThan(100);
    // Two quick taps show 100 %, two more the whole again.
    const tap = () =>
      page.evaluate(() => {
        const target = document.querySelector('.xterm-screen') ?? document.body;
        for (let count = 0; count < 2; count += 1) {
          const touch = new Touch({ identifier: 1, target, clientX: 100, clientY: 300 });
          target.dispatchEvent(
            new TouchEvent('touchstart', { touches: [touch], bubbles: true, cancelable: true }),
          );
          target.dispatchEvent(
            new TouchEvent('touchend', { touches: [], bubbles: true, cancelable: true }),
          );
        }
      });

    await tap();
    await expect.poll(async () => (await seen(page, 'end-42')).size).toBe(14);
    await tap();
    await expect.poll(async () => (await seen(page, 'end-42')).size).toBeLessThan(14);

    await terminal.run('exit');
    await terminal.notice.getByText('The session has ended').waitFor();
    // The server stores the recording after the user sees the end of the session.
    await expect
      .poll(
        async () =>
          (await admin.get<{ can_replay: boolean }>(`terminal/sessions/${id}/`)).body.can_replay,
      )
      .toBe(true);
    for (const size of [PHONE, { width: 1440, height: 900 }]) {
      await page.setViewportSize(size);
      await page.goto(`/luna/replay/${id}`);
      await replayPage(page, 'en').play.waitFor();
      expect(await movesOf(page, 'replay')).toEqual([]);
      await replayPage(page, 'en').playUntil('end-42');
      await expect.poll(() => seen(page, 'end-42')).toMatchObject({ inSight: true });
      expect((await seen(page, 'end-42')).size).toBeGreaterThanOrEqual(9);
    }
    // The clock is the session's own; the time of day is one click away.
    await page.getByRole('button', { name: /^\d+:\d\d \/ \d+:\d\d$/ }).click();
    await page.getByRole('button', { name: /^\d\d:\d\d:\d\d$/ }).waitFor();
  },
);

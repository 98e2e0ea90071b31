import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { OverlayHost } from '../../../kit/overlay-host.tsx';
import { renderPage } from '../../../testing/render-page.tsx';
import { askForSchedule, PERIOD_INITIAL } from './period.tsx';

const SUGGESTED = { ...PERIOD_INITIAL, name: 'web servers', crontab: '', interval: 24 };

beforeEach(() => {
  vi.stubGlobal(
    'fetch',
    async () => new Response(JSON.stringify({ times: ['2026-01-31 02:30:00 +0000'] }), { headers: { 'content-type': 'application/json' } }),
  );
});
afterEach(() => vi.unstubAllGlobals());

it('asks before a new plan runs every 24 hours: keeps the schedule, drops it, or saves nothing', async () => {
  await renderPage(<OverlayHost />);
  const answers = [
    ['保留定时', true],
    ['仅手动执行', { ...SUGGESTED, is_periodic: false }],
    ['关闭', false],
  ] as const;
  for (const [answer, expected] of answers) {
    const asked = askForSchedule(SUGGESTED, false);
    const dialog = await screen.findByRole('dialog', { name: '每 24 小时执行一次？' });
    expect(dialog.textContent).toMatch(/首次执行：2026\/01\/31/);
    fireEvent.click(within(dialog).getByRole('button', { name: answer }));
    expect([answer, await asked]).toEqual([answer, expected]);
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  }
});

it('does not ask about a schedule that the user chose, a plan without one, or a stored plan', async () => {
  expect(await askForSchedule({ ...SUGGESTED, crontab: '0 3 * * 0' }, false)).toBe(true);
  expect(await askForSchedule({ ...SUGGESTED, interval: 12 }, false)).toBe(true);
  expect(await askForSchedule({ ...SUGGESTED, is_periodic: false }, false)).toBe(true);
  expect(await askForSchedule(SUGGESTED, true)).toBe(true);
});

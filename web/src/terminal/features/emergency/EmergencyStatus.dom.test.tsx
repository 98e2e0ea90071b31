import type { OwnEmergency } from '@sallyport/contract';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { renderTerminalPart } from '../../../testing/render-terminal-part.tsx';
import { EmergencyStatus } from './EmergencyStatus.tsx';

afterEach(() => vi.unstubAllGlobals());

const own = (more: Partial<OwnEmergency> = {}): OwnEmergency => ({
  ticket: 't-1',
  asset_display: 'demo-db-01',
  date_expired: '2026-01-31 09:00:00 +0800',
  seconds_left: 1_799,
  sessions: ['s-1'],
  staying: [],
  ...more,
});
const serve = (answer: readonly OwnEmergency[]) => {
  const fetched = vi.fn(
    async (_address: string | URL | Request, _init?: RequestInit) =>
      new Response(JSON.stringify(answer), { headers: { 'content-type': 'application/json' } }),
  );
  vi.stubGlobal('fetch', fetched);
  return fetched;
};

it('counts down the time left of the emergency access of its session, and ends it after a question', async () => {
  const fetched = serve([own({ ticket: 't-2', sessions: ['s-2'] }), own()]);
  await renderTerminalPart(<EmergencyStatus session="s-1" />);
  expect((await screen.findByRole('timer')).textContent).toMatch(/^剩余 29:5\d$/);
  fireEvent.click(screen.getByRole('button', { name: '立即结束' }));
  const dialog = await screen.findByRole('dialog', { name: '结束紧急访问？' });
  const cancel = await screen.findByRole('button', { name: '取消' });
  await waitFor(() => expect(document.activeElement).toBe(cancel));
  const [end] = [...dialog.querySelectorAll('button')].filter(
    ({ textContent }) => textContent === '立即结束',
  );
  await waitFor(() => expect(end?.getAttribute('aria-disabled')).toBeNull());
  fireEvent.click(end as HTMLElement);
  await waitFor(() =>
    expect(
      fetched.mock.calls.some(
        ([address, init]) =>
          String(address).endsWith('tickets/emergency/t-1/end/') && init?.method === 'POST',
      ),
    ).toBe(true),
  );
});

it('counts down nothing for a session that another permission keeps open', async () => {
  serve([own({ staying: ['s-1'] })]);
  await renderTerminalPart(<EmergencyStatus session="s-1" />);
  await screen.findByText('其他授权保持会话');
  expect(screen.queryByRole('timer')).toBeNull();
  expect(screen.getByRole('button', { name: '立即结束' })).toBeTruthy();
});

it('shows nothing for a session without emergency access', async () => {
  const fetched = serve([own({ sessions: ['s-2'] })]);
  await renderTerminalPart(<EmergencyStatus session="s-1" />);
  await waitFor(() => expect(fetched).toHaveBeenCalled());
  expect(screen.queryByRole('timer')).toBeNull();
});

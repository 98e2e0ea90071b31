import { screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { renderPage } from '../../../testing/render-page.tsx';
import { NextRuns, PERIOD_GROUP, PERIOD_INITIAL, PERIOD_OVERRIDES } from './period.tsx';

const requests: string[] = [];
beforeEach(() => {
  requests.length = 0;
  vi.stubGlobal('fetch', async (url: string) => {
    requests.push(decodeURIComponent(String(url)));
    return new Response(
      JSON.stringify({ times: ['2026-01-31 02:30:00 +0000', '2026-02-01 02:30:00 +0000'] }),
      {
        headers: { 'content-type': 'application/json' },
      },
    );
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

it('shows schedule fields only for a periodic run', () => {
  expect(PERIOD_GROUP.fields).toEqual(['is_periodic', 'crontab', 'interval']);
  for (const name of ['crontab', 'interval']) {
    expect(PERIOD_OVERRIDES[name]?.hidden?.({ is_periodic: false }, false)).toBe(true);
    expect(PERIOD_OVERRIDES[name]?.hidden?.(PERIOD_INITIAL, false)).toBe(false);
  }
});

it('shows the next runs of the entered schedule', async () => {
  await renderPage(
    <NextRuns values={{ is_periodic: true, crontab: '30 2 * * *', interval: 24 }} />,
  );
  const status = await screen.findByRole('status');
  expect(status.textContent).toContain('后续执行时间');
  expect(status.textContent).toMatch(/2026\/01\/31/);
  expect(requests[0]).toContain('common/periods/?crontab=30+2+*+*+*&interval=24');
});

it.each([
  { is_periodic: false, crontab: '30 2 * * *', interval: 24 },
  { is_periodic: true, crontab: '61 2 * * *', interval: 24 },
  { is_periodic: true, crontab: '', interval: 0 },
  { is_periodic: true, crontab: '', interval: '' },
])('sends no request for %j', async (values) => {
  await renderPage(<NextRuns values={values} />);
  expect(screen.queryByRole('status')).toBeNull();
  expect(requests).toEqual([]);
});

import { formatDatetime, type OpenEmergency } from '@sallyport/contract';
import { screen, waitFor } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { renderPage } from '../../../testing/render-page.tsx';
import { OpenEmergencies } from './OpenEmergencies.tsx';

afterEach(() => vi.unstubAllGlobals());

const serve = (answer: readonly OpenEmergency[]) => {
  const fetched = vi.fn(
    async () =>
      new Response(JSON.stringify(answer), { headers: { 'content-type': 'application/json' } }),
  );
  vi.stubGlobal('fetch', fetched);
  return fetched;
};
// Half a minute less than 30 minutes: a slow machine still counts 30.
const access = (more: Partial<OpenEmergency> = {}): OpenEmergency => ({
  ticket: 't-1',
  user_display: 'demo',
  asset_display: 'demo-db-01',
  date_expired: formatDatetime(new Date(Date.now() + 29.9 * 60_000), 'UTC'),
  session: 's-1',
  ...more,
});

it('names user, asset and minutes left of open emergency access, with links to ticket and session', async () => {
  serve([access(), access({ ticket: 't-2' })]);
  await renderPage(<OpenEmergencies />);
  expect((await screen.findByRole('status')).textContent).toBe('2 个紧急访问进行中');
  expect(screen.getByRole('link', { name: 'demo → demo-db-01' }).getAttribute('href')).toContain(
    '/tickets/tickets/t-1',
  );
  expect(screen.getByRole('link', { name: '监控' }).getAttribute('href')).toContain('s-1');
  expect(screen.getByText('剩余 30 分钟')).toBeTruthy();
  expect(screen.getByRole('link', { name: '全部 2 个' })).toBeTruthy();
});

it('offers no way to watch before a session runs, and renders nothing while none is open', async () => {
  serve([access({ session: null })]);
  const { unmount } = await renderPage(<OpenEmergencies />);
  await screen.findByRole('status');
  expect(screen.queryByRole('link', { name: '监控' })).toBeNull();
  unmount();
  const fetched = serve([]);
  const { container } = await renderPage(<OpenEmergencies />);
  await waitFor(() => expect(fetched).toHaveBeenCalled());
  expect(container.querySelector('aside')).toBeNull();
});

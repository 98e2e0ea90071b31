import { type Histogram, loginLog, type Row, say } from '@sallyport/contract';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { common, language, t } from '../../../../kit/i18n/index.ts';
import { MemoryServer } from '../../../../testing/memory-server.ts';
import { renderPage } from '../../../../testing/render-page.tsx';
import { ResourceList } from '../ResourceList.tsx';
import { words } from './words.ts';

afterEach(() => vi.unstubAllGlobals());

const FAILED = say(loginLog.histogram?.marks?.label ?? { zh: '', en: '' }, language);
const HOURS: Histogram = {
  date_from: '2026-01-31 00:00:00 +0000',
  date_to: '2026-01-31 03:59:59 +0000',
  is_exact: true,
  bars: [
    { date: '2026-01-31 00:00:00 +0000', count: 4, marked: 0 },
    { date: '2026-01-31 01:00:00 +0000', count: 0, marked: 0 },
    { date: '2026-01-31 02:00:00 +0000', count: 1200, marked: 30 },
    { date: '2026-01-31 03:00:00 +0000', count: 1, marked: 1 },
  ],
};

async function showList(histogram: Histogram = HOURS, path = '/audits/login-log', status = 200) {
  const server = new MemoryServer()
    .on('GET', 'audits/login-logs/', () => ({
      body: { count: 0, next: null, previous: null, results: [] },
    }))
    .on('GET', 'audits/login-logs/histogram/', () => ({ status, body: histogram }));
  const { router } = await renderPage(
    <ResourceList<Row<typeof loginLog>>
      source={loginLog}
      columns={[{ name: 'username' }]}
      base={{ type: 'W' }}
      days={7}
    />,
    { path },
  );
  const bars = await screen.findByRole('listbox', { name: t(words.title) });
  const requests = () => server.requests.filter((request) => request.path.endsWith('/histogram/'));
  const search = () => router.state.location.search as Record<string, string>;
  return { bars, requests, search };
}
const key = (bars: HTMLElement, name: string, shiftKey = false) =>
  fireEvent.keyDown(bars, { key: name, shiftKey });

it('asks for the query of the list, and names each bar with its failures', async () => {
  const { bars, requests } = await showList(HOURS, '/audits/login-log?search=ann&page=3&status=0');
  expect(requests()[0]?.query).toMatchObject({ type: 'W', search: 'ann', status: '0' });
  expect(Object.keys(requests()[0]?.query ?? {})).not.toEqual(
    expect.arrayContaining(['limit', 'offset']),
  );
  const names = within(bars)
    .getAllByRole('option')
    .map((option) => option.getAttribute('aria-label') ?? '');
  expect(names).toHaveLength(4);
  expect(names[2]).toContain(t(words.marked, { label: FAILED, count: 30 }));
  expect(names[0]).not.toContain(FAILED);
});

it('selects bars by keys, and limits the list to their range', async () => {
  const { bars, search } = await showList();
  key(bars, 'End');
  key(bars, 'ArrowLeft');
  key(bars, 'ArrowLeft', true);
  expect(
    within(bars)
      .getAllByRole('option')
      .map((option) => option.getAttribute('aria-selected')),
  ).toEqual(['false', 'true', 'true', 'false']);
  key(bars, 'Enter');
  await waitFor(() =>
    expect(search()).toEqual({
      date_from: '2026-01-31T01:00:00.000Z',
      date_to: '2026-01-31T02:59:59.000Z',
    }),
  );
  fireEvent.click(screen.getByRole('button', { name: t(words.whole) }));
  await waitFor(() => expect(search()).toEqual({}));
});

it('forgets a selection by Escape', async () => {
  const { bars, search } = await showList();
  key(bars, 'Home');
  key(bars, 'Escape');
  key(bars, 'Enter');
  expect(within(bars).queryAllByRole('option', { selected: true })).toEqual([]);
  expect(search()).toEqual({});
});

it('filters by the marked rows', async () => {
  const { search } = await showList();
  const name = t(words.marked, { label: FAILED, count: 31 });
  fireEvent.click(screen.getByRole('button', { name }));
  await waitFor(() => expect(search()).toEqual({ status: '0' }));
});

it('shows bars with rows as a table, whose starts limit the list', async () => {
  const { search } = await showList();
  fireEvent.click(screen.getByText(t(common.asTable)));
  const rows = screen.getAllByRole('row').filter((row) => row.closest('details'));
  expect(rows.map((row) => [...row.children].slice(1).map((cell) => cell.textContent))).toEqual([
    [t(words.rows), FAILED],
    ['1', '1'],
    ['1,200', '30'],
    ['4', '0'],
  ]);
  const [latest] = rows.slice(1);
  if (latest) fireEvent.click(within(latest).getByRole('button'));
  await waitFor(() => expect(search().date_to).toBe('2026-01-31T03:59:59.000Z'));
});

it('says that counts are projected', async () => {
  await showList({ ...HOURS, is_exact: false });
  const width = t(words.hours, { count: 1 });
  expect(screen.getByText(t(words.projected, { count: 1205, width }))).toBeDefined();
});

it('says that the bars failed, and keeps the list', async () => {
  await showList(HOURS, '/audits/login-log', 500);
  await screen.findByText(t(words.failed));
});

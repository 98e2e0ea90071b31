import { label, Role, type Row } from '@sallyport/contract';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { common, t } from '../../../kit/i18n/index.ts';
import { MemoryServer } from '../../../testing/memory-server.ts';
import { renderPage } from '../../../testing/render-page.tsx';
import { ResourceList } from './ResourceList.tsx';
import { words } from './words.ts';

const list = <ResourceList<Row<typeof label>> source={label} columns={[{ name: 'name' }, { name: 'value' }]} hasDelete />;
const labels = () =>
  new MemoryServer().on('GET', 'assets/labels/', ({ query }) => {
    const results = query.search === 'nothing' ? [] : [{ id: '1', name: 'color', value: `page ${Number(query.offset) / Number(query.limit) + 1}` }];
    return { body: { count: results.length * 40, next: null, previous: null, results } };
  });

describe('a list', () => {
  it('shows the page of its address, and asks for nothing but its rows', async () => {
    const server = labels();
    const { router } = await renderPage(list, { path: '/assets/labels?page=2&order=-name' });
    await screen.findByText('page 2');
    expect(server.requests.filter(({ method }) => method === 'OPTIONS')).toEqual([]);
    expect(server.requests.find(({ path }) => path === 'assets/labels/')?.query).toMatchObject({ limit: '15', offset: '15', order: '-name' });
    fireEvent.click(screen.getByRole('button', { name: t(words.page, { page: 3 }) }));
    await screen.findByText('page 3');
    expect(router.state.location.search).toEqual({ page: '3', order: '-name' });
  });

  it('says that nothing was found, and clears what was searched for', async () => {
    labels();
    const { router } = await renderPage(list, { path: '/assets/labels?search=nothing' });
    await screen.findByText(t(words.nothingFound));
    const clear = screen.getAllByRole('button', { name: t(words.clearFilters) }).at(-1);
    if (clear) fireEvent.click(clear);
    await screen.findByText('page 1');
    expect(router.state.location.search).toEqual({});
  });

  it('leads to the pages that the role may open, and to no other', async () => {
    labels();
    const { router, unmount } = await renderPage(list, { path: '/assets/labels' });
    fireEvent.click(await screen.findByRole('button', { name: t(common.create) }));
    await waitFor(() => expect(router.state.location.pathname).toBe('/assets/labels/create'));
    unmount();
    await renderPage(list, { path: '/assets/labels', role: Role.OrgAuditor });
    await screen.findByText('page 1');
    expect(screen.queryByRole('button', { name: t(words.import) })).toBeNull();
  });
});

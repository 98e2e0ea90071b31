import { label, type Row } from '@sallyport/contract';
import { act, waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { MemoryServer } from '../../../testing/memory-server.ts';
import { renderHook } from '../../../testing/render-hook.tsx';
import { type ListPageOptions, useListPage } from './useListPage.ts';

type Label = Row<typeof label>;

const COLUMNS = [{ name: 'name' }, { name: 'value' }, { name: 'comment', hidden: true }] as const;

/** A server with forty labels and no preferences. */
const labels = () =>
  new MemoryServer().on('GET', 'assets/labels/', ({ query }) => {
    const first = Number(query.offset);
    const results = query.search
      ? []
      : [1, 2].map((one) => ({ id: `${first + one}`, name: `n${first + one}`, value: 'v' }));
    return { body: { count: query.search ? 0 : 40, next: null, previous: null, results } };
  });

/** Runs the hook on a page that draws nothing. */
async function listPage(path: string, options: Partial<ListPageOptions<Label>> = {}) {
  const { now: page, router } = await renderHook(
    () => useListPage<Label>(label, { columns: COLUMNS, ...options }),
    { path },
  );
  await waitFor(() => expect(page().list.view).not.toBe('loading'));
  return { page, address: () => router.state.location.search };
}

describe('a list page', () => {
  it('reads the state from the address, and writes changes into it', async () => {
    const server = labels();
    const { page, address } = await listPage('/assets/labels?page=2&order=-name&value=v');
    expect(page().state).toMatchObject({ page: 2, order: '-name', filters: { value: 'v' } });
    expect(server.requests.find(({ path }) => path === 'assets/labels/')?.query).toMatchObject({
      offset: '15',
      order: '-name',
      value: 'v',
    });
    act(() => page().change({ search: 'x' }));
    await waitFor(() => expect(page().list.view).toBe('nothing-found'));
    expect(address()).toEqual({ order: '-name', value: 'v', search: 'x' });
  });

  it('leaves the parameters of the surrounding page in the address', async () => {
    const server = labels();
    const { page, address } = await listPage('/assets/labels?node=n&activeTab=A', {
      pageNames: ['node'],
      chosen: { node_id: 'n' },
    });
    expect(page().state.filters).toEqual({});
    expect(server.requests.find(({ path }) => path === 'assets/labels/')?.query).toMatchObject({
      node_id: 'n',
    });
    act(() => page().change({ page: 2 }));
    await waitFor(() => expect(page().list.rows[0]?.id).toBe('16'));
    expect(address()).toEqual({ node: 'n', activeTab: 'A', page: '2' });
  });

  it('keeps the state out of the address when embedded', async () => {
    labels();
    const { page, address } = await listPage('/assets/labels?page=3', {
      embedded: true,
      firstSize: 10,
    });
    expect(page().state).toMatchObject({ page: 1, size: 10 });
    act(() => page().change({ page: 2 }));
    await waitFor(() => expect(page().list.rows[0]?.id).toBe('11'));
    expect(address()).toEqual({ page: '3' });
  });

  it('keeps the selection across pages, and clears it on refresh', async () => {
    labels();
    const { page } = await listPage('/assets/labels');
    act(() => page().selection.togglePage(page().list.rows.slice(0, 1), true));
    act(() => page().change({ page: 2 }));
    await waitFor(() => expect(page().list.rows[0]?.id).toBe('16'));
    expect(page().extent().selected).toEqual(['1']);
    act(() => page().refresh());
    expect(page().extent().selected).toEqual([]);
  });

  it('draws the chosen columns, else those that fit, and returns the search fields', async () => {
    labels();
    const { page } = await listPage('/assets/labels', {
      searchMore: [{ name: 'hostname', label: 'Host' }],
    });
    expect(page().columns.drawn).toEqual(['name', 'value']);
    act(() => page().columns.onFit(['name']));
    await waitFor(() => expect(page().columns.drawn).toEqual(['name']));
    expect(page().fields.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['name', 'value', 'hostname']),
    );
  });
});

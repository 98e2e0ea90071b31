import { label, Role, type Row } from '@sallyport/contract';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { OverlayHost } from '../../../kit/dialogs/overlay-host.tsx';
import { common, t } from '../../../kit/i18n/index.ts';
import { clickWhenEnabled } from '../../../testing/click-when-enabled.ts';
import { MemoryServer } from '../../../testing/memory-server.ts';
import { renderPage } from '../../../testing/render-page.tsx';
import { words as columnWords } from '../columns/words.ts';
import { words as sets } from '../set/words.ts';
import { words as viewWords } from '../views/words.ts';
import { ResourceList } from './ResourceList.tsx';
import { words } from './words.ts';

afterEach(() => vi.unstubAllGlobals());

const list = (
  <ResourceList<Row<typeof label>>
    source={label}
    columns={[{ name: 'name' }, { name: 'value' }]}
    hasDelete
  />
);
const labels = () =>
  new MemoryServer().on('GET', 'assets/labels/', ({ query }) => {
    const results =
      query.search === 'nothing'
        ? []
        : [
            {
              id: '1',
              name: 'color',
              value: `page ${Number(query.offset) / Number(query.limit) + 1}`,
            },
          ];
    return { body: { count: results.length * 40, next: null, previous: null, results } };
  });

describe('a list', () => {
  it('shows the page in the address, and requests only its rows', async () => {
    const server = labels();
    const { router } = await renderPage(list, { path: '/assets/labels?page=2&order=-name' });
    await screen.findByText('page 2');
    expect(server.requests.filter(({ method }) => method === 'OPTIONS')).toEqual([]);
    expect(server.requests.find(({ path }) => path === 'assets/labels/')?.query).toMatchObject({
      limit: '15',
      offset: '15',
      order: '-name',
    });
    fireEvent.click(screen.getByRole('button', { name: t(words.page, { page: 3 }) }));
    await screen.findByText('page 3');
    expect(router.state.location.search).toEqual({ page: '3', order: '-name' });
  });

  it('shows that no rows match, and clears the search', async () => {
    labels();
    const { router } = await renderPage(list, { path: '/assets/labels?search=nothing' });
    await screen.findByText(t(words.nothingFound));
    const clear = screen.getAllByRole('button', { name: t(words.clearFilters) }).at(-1);
    if (clear) fireEvent.click(clear);
    await screen.findByText('page 1');
    expect(router.state.location.search).toEqual({});
  });

  it('says what to do about a search without matches, as the page asks', async () => {
    labels();
    const page = (
      <ResourceList<Row<typeof label>>
        source={label}
        columns={[{ name: 'name' }]}
        noMatchHint={(search) => <a href={`/ask?about=${search}`}>ask for it</a>}
      />
    );
    const { unmount } = await renderPage(page, { path: '/assets/labels?search=nothing' });
    const link = await screen.findByRole('link', { name: 'ask for it' });
    expect(link.getAttribute('href')).toBe('/ask?about=nothing');
    unmount();
    await renderPage(page, { path: '/assets/labels' });
    await screen.findByText('color');
    expect(screen.queryByRole('link', { name: 'ask for it' })).toBeNull();
  });

  it('links only pages that the role may open', async () => {
    labels();
    const { router, unmount } = await renderPage(list, { path: '/assets/labels' });
    fireEvent.click(await screen.findByRole('link', { name: t(common.create) }));
    await waitFor(() => expect(router.state.location.pathname).toBe('/assets/labels/create'));
    unmount();
    await renderPage(list, { path: '/assets/labels', role: Role.OrgAuditor });
    await screen.findByText('page 1');
    expect(screen.queryByRole('button', { name: t(words.import) })).toBeNull();
  });

  it('applies the chosen column order and widths, and stores changes in the preferences', async () => {
    const server = labels()
      .on('GET', 'users/preferences/', () => ({ body: {} }))
      .on('PATCH', 'users/preferences/', () => ({ body: {} }));
    await renderPage(list, { path: '/assets/labels' });
    const heads = () =>
      [...document.querySelectorAll<HTMLElement>('th[data-column]')].map(
        ({ dataset }) => dataset.column,
      );
    const value = t(label.fields.value.label);
    await screen.findByText('page 1');
    expect(heads()).toEqual(['name', 'value']);
    fireEvent.click(screen.getByRole('button', { name: t(words.columns) }));
    fireEvent.click(
      await screen.findByRole('button', { name: t(columnWords.moveLeft, { name: value }) }),
    );
    await waitFor(() => expect(heads()).toEqual(['value', 'name']));
    const head = document.querySelector<HTMLElement>('th[data-column=value]');
    if (!head) throw new Error('no heading');
    fireEvent.focus(head.querySelector('button') ?? head);
    const [edge] = await screen.findAllByRole('separator', {
      name: t(columnWords.widthOf, { name: value }),
    });
    if (!edge) throw new Error('no edge');
    fireEvent.keyDown(edge, { key: 'ArrowRight' });
    await waitFor(() => expect(head.style.width).not.toBe(''));
    fireEvent.keyDown(edge, { key: 'Delete' });
    await waitFor(() => expect(head.style.width).toBe(''));
    expect(server.bodies('PATCH', 'users/preferences/')).toEqual([
      { columns: { label: ['value', 'name'] } },
      { widths: { label: { value: 60 } } },
      { widths: { label: { value: null } } },
    ]);
  });

  it('opens with the default view when the address has no search, and saves the current state as another view', async () => {
    const server = labels()
      .on('GET', 'users/preferences/', () => ({
        body: {
          views: { label: { one: { name: 'Colors', search: { order: '-name' } } } },
          default_view: { label: 'one' },
        },
      }))
      .on('PATCH', 'users/preferences/', () => ({ body: {} }));
    const { router, unmount } = await renderPage(list, { path: '/assets/labels' });
    await waitFor(() => expect(router.state.location.search).toEqual({ order: '-name' }));
    unmount();
    const { router: other } = await renderPage(list, { path: '/assets/labels?page=2&search=x' });
    await screen.findByText('page 2');
    expect(other.state.location.search).toEqual({ page: '2', search: 'x' });
    fireEvent.click(screen.getByRole('button', { name: t(words.views) }));
    fireEvent.change(await screen.findByRole('textbox', { name: t(viewWords.name) }), {
      target: { value: 'Found' },
    });
    fireEvent.click(screen.getByRole('button', { name: t(viewWords.save) }));
    await waitFor(() =>
      expect(JSON.stringify(server.bodies('PATCH', 'users/preferences/'))).toContain(
        '{"name":"Found","search":{"search":"x"}}',
      ),
    );
    fireEvent.click(
      await screen.findByRole('button', { name: t(viewWords.open, { name: 'Colors' }) }),
    );
    await waitFor(() => expect(other.state.location.search).toEqual({ order: '-name' }));
    fireEvent.click(screen.getByRole('button', { name: t(viewWords.remove, { name: 'Colors' }) }));
    await waitFor(() =>
      expect(
        screen.queryByRole('button', { name: t(viewWords.open, { name: 'Colors' }) }),
      ).toBeNull(),
    );
  });

  it('selects more rows than it holds as a set, and changes them in the background', async () => {
    const server = new MemoryServer()
      .on('GET', 'assets/labels/', () => ({
        body: {
          count: 23_000,
          next: null,
          previous: null,
          results: [{ id: '1', name: 'color', value: 'red' }],
        },
      }))
      .on('POST', 'common/resources/matching/', () => ({ body: { spm: 'set', count: 23_000 } }))
      .on('POST', 'perms/consequences/', () => ({
        body: {
          objects: { count: 23_000, names: [] },
          consequences: [],
          access: [],
          access_from: null,
          type_to_confirm: '23000',
        },
      }))
      .on('POST', 'common/resources/bulk/', () => ({ status: 201, body: { job: 'job' } }));
    const watched: string[] = [];
    vi.stubGlobal(
      'WebSocket',
      class {
        constructor(url: string) {
          watched.push(new URL(url).searchParams.get('job') ?? '');
        }
        close() {}
      },
    );
    await renderPage(
      <>
        {list}
        <OverlayHost />
      </>,
      { path: '/assets/labels?search=red' },
    );
    fireEvent.click(
      await screen.findByRole('checkbox', { name: t(words.selectRow, { name: 'color' }) }),
    );
    fireEvent.click(
      await screen.findByRole('button', { name: t(words.selectMatching, { count: 23_000 }) }),
    );
    await screen.findByText(t(sets.allSelected, { count: 23_000 }));
    expect(server.bodies('POST', 'common/resources/matching/')).toEqual([
      { resource: 'label', query: expect.stringContaining('search=red') },
    ]);
    fireEvent.click(screen.getByRole('button', { name: t(words.deleteSelected) }));
    fireEvent.change(await screen.findByLabelText(/23000/), { target: { value: '23000' } });
    await clickWhenEnabled(/^删除 \d/);
    await waitFor(() =>
      expect(server.bodies('POST', 'common/resources/bulk/')).toEqual([
        { resource: 'label', spm: 'set', action: 'delete' },
      ]),
    );
    await waitFor(() => expect(watched).toEqual(['job']));
    expect(server.bodies('POST', 'perms/consequences/')).toEqual([
      { action: 'delete', resource: 'label', spm: 'set' },
    ]);
  });
});

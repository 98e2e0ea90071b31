import { fireEvent, screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { t } from '../../../kit/i18n/index.ts';
import { renderPage } from '../../../testing/render-page.tsx';
import { Pager } from './Pager.tsx';
import { words } from './words.ts';

const pager = (page: number, pages: number, onPage: (page: number) => void) => (
  <Pager
    page={page}
    pages={pages}
    size={15}
    sizes={[15]}
    count={pages * 15}
    onPage={onPage}
    onSize={() => undefined}
  />
);
const button = (page: number) => screen.queryByRole('button', { name: t(words.page, { page }) });

it('links the first and last page, and offers a field for other pages', async () => {
  const onPage = vi.fn();
  await renderPage(pager(300, 680, onPage));
  expect(button(1)).not.toBeNull();
  fireEvent.click(button(680) as HTMLElement);
  const field = screen.getByRole('textbox', { name: t(words.goToPage) });
  for (const typed of ['42', '9999', 'abc', '0']) {
    fireEvent.change(field, { target: { value: typed } });
    fireEvent.keyDown(field, { key: 'Enter' });
  }
  expect(onPage.mock.calls).toEqual([[680], [42], [680]]);
});

it.each([
  [1, '1234…9'],
  [5, '1…456…9'],
  [9, '1…6789'],
])('shows five page buttons of nine pages on page %i: %s', async (page, text) => {
  await renderPage(pager(page, 9, () => undefined));
  const nav = screen.getByRole('navigation', { name: t(words.pagination) });
  expect(nav.textContent).toBe(text);
  const numbers = screen.getAllByRole('button', { name: /\d/ });
  expect(numbers).toHaveLength(5);
  expect(numbers.filter((one) => one.getAttribute('aria-current') === 'page')).toEqual([
    button(page),
  ]);
});

it('hides the page field when every page has a button', async () => {
  await renderPage(pager(1, 3, () => undefined));
  expect(screen.queryByRole('textbox')).toBeNull();
  expect(button(3)).not.toBeNull();
  expect(button(4)).toBeNull();
});

it('hides total and buttons before the first rows, without losing their place', async () => {
  await renderPage(
    <Pager
      page={1}
      pages={0}
      size={15}
      sizes={[15]}
      count={0}
      isHidden
      onPage={() => undefined}
      onSize={() => undefined}
    />,
  );
  expect(screen.queryByRole('navigation')).toBeNull();
  const total = screen.getByText(t(words.total, { count: 0 }));
  expect(total.closest('[style*="visibility: hidden"]')).not.toBeNull();
});

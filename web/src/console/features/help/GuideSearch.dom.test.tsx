import { fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { t } from '../../../kit/i18n/index.ts';
import { renderPage } from '../../../testing/render-page.tsx';
import { GuideSearch } from './GuideSearch.tsx';
import { sectionsOf } from './guide-search.ts';
import { parseGuide } from './markdown.ts';
import { words } from './words.ts';

const SECTIONS = [
  ...sectionsOf(parseGuide('# 用户手册\n\n## 双重认证\n- 恢复码只显示一次\n'), 'user'),
  ...sectionsOf(parseGuide('# 运维手册\n\n## 许可证与界面\n首次启动时签发。\n'), 'operator'),
  ...sectionsOf(parseGuide('# 新功能\n\n## 撤销\n删除后可以撤销。\n'), 'news'),
];

it('finds a chapter by keyboard, and closes with Escape', async () => {
  const { router } = await renderPage(<GuideSearch load={async () => SECTIONS} />, {
    path: '/help/docs',
  });
  const field = screen.getByRole('combobox', { name: t(words.searchGuides) });
  const type = (value: string) => fireEvent.change(field, { target: { value } });

  type('恢复码');
  const options = await screen.findAllByRole('option');
  expect(options[0]?.getAttribute('aria-selected')).toBe('true');
  expect(field.getAttribute('aria-activedescendant')).toBe(options[0]?.id);
  expect(document.querySelector('mark')?.textContent).toBe('恢复码');
  fireEvent.keyDown(field, { key: 'Escape' });
  await waitFor(() => expect(screen.queryByRole('option')).toBeNull());

  type('没有这样的章节');
  await screen.findByText(t(words.nothingInGuides));

  type('许可证与界面');
  await screen.findAllByRole('option');
  fireEvent.keyDown(field, { key: 'Enter' });
  await waitFor(() => expect(router.state.location.search).toEqual({ guide: 'operator' }));
  expect(decodeURIComponent(router.state.location.hash)).toBe('许可证与界面');

  type('撤销');
  await screen.findAllByRole('option');
  fireEvent.keyDown(field, { key: 'Enter' });
  await waitFor(() => expect(router.state.location.search).toEqual({ guide: 'news' }));
});

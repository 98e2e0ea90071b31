import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { t } from '../../kit/i18n/index.ts';
import { renderPage } from '../../testing/render-page.tsx';
import { HistoryList } from './HistoryList.tsx';
import { words } from './words.ts';

it('says which earlier statements were denied, declined or failed', async () => {
  const ran = { date: '', is_denied: false, is_declined: false, is_failed: false };
  const statements = [
    { ...ran, text: 'select 1' },
    { ...ran, text: 'select 2', is_denied: true },
    // Older servers logged a declined statement as a denial.
    { ...ran, text: 'select 3', is_denied: true, is_declined: true },
    { ...ran, text: 'select 4', is_failed: true },
  ];
  await renderPage(
    <HistoryList
      history={{ search: '', statements }}
      isRunning={false}
      onLoad={() => undefined}
      onUse={() => undefined}
    />,
  );
  const list = await screen.findByRole('list', { name: t(words.historyHint) });
  expect([...list.querySelectorAll('li')].map(({ textContent }) => textContent)).toEqual([
    'select 1',
    `select 2 ${t(words.denied)}`,
    `select 3 ${t(words.declined)}`,
    `select 4 ${t(words.failed)}`,
  ]);
});

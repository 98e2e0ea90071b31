import { cleanup, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { t } from '../../../kit/i18n/index.ts';
import { renderPage } from '../../../testing/render-page.tsx';
import { Duration } from './Duration.tsx';
import { words } from './words.ts';

it('shows a text for sessions of up to a second', async () => {
  const START = '2026-11-20 09:30:00 +0800';
  await renderPage(<Duration session={{ date_start: START, date_end: START }} />);
  screen.getByText(t(words.underASecond));
  cleanup();
  await renderPage(
    <Duration session={{ date_start: START, date_end: '2026-11-20 09:30:01 +0800' }} />,
  );
  expect(screen.getByText(/^1\.0 /)).toBeDefined();
});

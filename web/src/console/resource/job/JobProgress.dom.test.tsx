import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { formatDate } from '../../../kit/format/format.ts';
import { renderPage } from '../../../testing/render-page.tsx';
import { JobProgress } from './JobProgress.tsx';
import type { Job } from './useJob.ts';

const JOB = {
  id: 'j',
  title: 'Test',
  state: 'succeeded',
  outcome: 'nothing',
  state_display: '无需执行',
  done: 1,
  total: 1,
  failed: 0,
  skipped: 1,
} as Job;

it('shows log times in the time zone of the browser, and names the zone', async () => {
  const date = '2026-11-25 05:38:21 +0800';
  await renderPage(
    <JobProgress
      model={{ job: JOB, lines: [{ line: 1, date, text: 'reachable' }], problem: '', isOver: true }}
      hasLog
    />,
  );
  const log = await screen.findByRole('log');
  expect(log.textContent).toContain(`${formatDate(date).slice(-8)} reachable`);
  expect(new Date('2026-11-24T21:38:21Z').getHours()).toBe(Number(formatDate(date).slice(-8, -6)));
  expect(screen.getByText(/时间为 UTC/)).toBeTruthy();
  expect(screen.getByRole('status').textContent).toContain('无需执行');
});

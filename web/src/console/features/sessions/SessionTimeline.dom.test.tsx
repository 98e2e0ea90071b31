import {
  COMMAND_VERDICTS,
  type SessionTimeline as Timeline,
  type TimelineEntry,
} from '@sallyport/contract';
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { t } from '../../../kit/i18n/index.ts';
import { MemoryServer } from '../../../testing/memory-server.ts';
import { renderPage } from '../../../testing/render-page.tsx';
import { SessionTimeline } from './SessionTimeline.tsx';
import type { Session } from './session-actions.ts';
import { words } from './words.ts';

const ENTRY: TimelineEntry = {
  kind: 'command',
  at: 5,
  seconds: 0,
  text: 'uptime',
  operate: null,
  risk_level: 0,
  is_success: true,
  verdict: 'none',
};
const TIMELINE: Timeline = {
  seconds: 900,
  entries: [
    ENTRY,
    { ...ENTRY, kind: 'idle', at: 6, seconds: 240, text: '' },
    { ...ENTRY, at: 300, text: 'reboot', risk_level: 5, is_success: false },
    { ...ENTRY, kind: 'interruption', at: 310, seconds: 180, text: '10.0.0.10' },
    { ...ENTRY, kind: 'file', at: 500, text: '/tmp/a.txt', operate: 'Upload', is_success: false },
  ],
  left_out: 2,
};

it('lists events in order, each with a link into the replay at its moment', async () => {
  new MemoryServer().on('GET', 'terminal/sessions/s1/timeline/', () => ({ body: TIMELINE }));
  await renderPage(
    <SessionTimeline
      session={{ id: 's1', is_finished: true, can_replay: true } as Session}
      onMoment={() => undefined}
    />,
  );
  const list = await screen.findByRole('list', { name: t(words.timeline) });
  await within(list).findByText('uptime');
  const texts = () =>
    within(list)
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent);
  expect(texts()).toEqual([
    '0:05uptime',
    `0:06${t(words.idleFor, { duration: '4.0 分钟' })}`,
    `5:00reboot · ${t(words.denied)}`,
    `5:10${t(words.interruptedFor, { duration: '3.0 分钟' })} · ${t(words.backFrom, { address: '10.0.0.10' })}`,
    `8:20上传 /tmp/a.txt · ${t(words.notDone)}`,
  ]);
  expect(
    within(list)
      .getAllByRole('link')
      .map((link) => link.getAttribute('href')),
  ).toEqual([3, 4, 298, 308, 498].map((at) => `/luna/replay/s1?at=${at}`));
  screen.getByText(new RegExp(t(words.timelineLeftOut, { count: 2 })));
  fireEvent.click(screen.getByRole('switch', { name: t(words.onlyNotable) }));
  expect(texts()).toHaveLength(4);
});

it('shows times as text for a session without a recording', async () => {
  new MemoryServer().on('GET', 'terminal/sessions/s1/timeline/', () => ({ body: TIMELINE }));
  await renderPage(
    <SessionTimeline
      session={{ id: 's1', is_finished: true, can_replay: false } as Session}
      onMoment={() => undefined}
    />,
  );
  await screen.findByText('uptime');
  expect(screen.queryAllByRole('link')).toEqual([]);
});

it('shows a command that the user declined without a mark of danger', async () => {
  // Older servers logged it as a denial.
  const old = { ...ENTRY, at: 9, text: 'drop b', risk_level: 5, is_success: false } as const;
  const body: Timeline = {
    seconds: 900,
    entries: [
      { ...ENTRY, text: 'drop a', verdict: 'declined' },
      { ...old, verdict: 'withdrawn' },
      { ...old, at: 12, text: 'drop c', verdict: 'unanswered' },
    ],
    left_out: 0,
  };
  new MemoryServer().on('GET', 'terminal/sessions/s1/timeline/', () => ({ body }));
  await renderPage(
    <SessionTimeline
      session={{ id: 's1', is_finished: true, can_replay: true } as Session}
      onMoment={() => undefined}
    />,
  );
  const list = await screen.findByRole('list', { name: t(words.timeline) });
  await within(list).findByText('drop a');
  const rows = within(list).getAllByRole('listitem');
  const answer = (value: string) =>
    t(COMMAND_VERDICTS.find((one) => one.value === value)?.label ?? words.failed);
  expect(
    rows.map((row) => [
      row.textContent,
      row.querySelector('[data-mark]')?.getAttribute('data-mark'),
    ]),
  ).toEqual([
    [`0:05drop a · ${answer('declined')}`, 'command'],
    [`0:09drop b · ${answer('withdrawn')}`, 'command'],
    [`0:12drop c · ${t(words.denied)} · ${answer('unanswered')}`, 'danger'],
  ]);
  screen.getByText(new RegExp(t(words.timelineDangerous, { count: 1 })));
});

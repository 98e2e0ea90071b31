import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { t } from '../../../kit/i18n/index.ts';
import { MemoryServer } from '../../../testing/memory-server.ts';
import { renderPage } from '../../../testing/render-page.tsx';
import { VerifyDialog } from './VerifyDialog.tsx';
import { words } from './words.ts';

const ID = '6f9b2c64-5f0e-4c39-9d5f-2f1a3c0c7a11';

async function show(problems: readonly string[], outside: readonly object[] = []) {
  const unread = problems.filter((problem) => problem.endsWith('_unreadable')).length;
  const sessions = {
    rows: 9,
    checked: 9,
    repaired: 0,
    wrong: problems.length,
    unread,
    broken: problems.map((problem) => ({ session: ID, problem })),
  };
  const intact = problems.length === 0 && outside.length === 0;
  new MemoryServer().on('POST', 'audits/verify/', () => ({
    body: { intact, logs: [], sessions, outside },
  }));
  await renderPage(<VerifyDialog onClose={() => undefined} />);
}

it.each([
  ['no problem', [], 'allIntact', []],
  [
    'a recording of a server that does not answer',
    ['recording_unreadable'],
    'notAllRead',
    [t(words.sessionsUnread, { count: 1 })],
  ],
  [
    'a change next to it',
    ['recording_unreadable', 'session_changed'],
    'notIntact',
    [t(words.sessionsUnread, { count: 1 }), t(words.sessionsBroken, { count: 1 })],
  ],
] as const)('tells changes from unread sessions for %s', async (_name, problems, title, texts) => {
  await show(problems);
  expect(await screen.findByText(t(words[title]))).toBeTruthy();
  for (const text of texts) expect(screen.getByText(text)).toBeTruthy();
});

it('says for each place outside of the logs what became of its rows', async () => {
  const place = { place: 'bucket', name: 'safe', server: 'one', date: '2026-11-30', problem: '' };
  const states = ['present', 'missing', 'failover', 'other', 'unread'] as const;
  await show(
    [],
    states.map((state) => ({ ...place, server: state, state })),
  );
  for (const state of states)
    expect(await screen.findByText(t(words[`outside_${state}`]))).toBeTruthy();
  expect(screen.getByText(t(words.notAllRead))).toBeTruthy();
});

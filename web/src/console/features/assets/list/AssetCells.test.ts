import { expect, it } from 'vitest';
import { stateOf } from './AssetCells.tsx';
import { words } from './words.ts';

const UNTESTED = { status: 2, datetime: '2026-01-01 08:00:00 +0000' } as const;
const SESSION = {
  id: 's',
  date: '2026-01-02 08:00:00 +0000',
  is_success: true,
  is_finished: true,
  end_reason: null,
};
const state = (
  last: Partial<typeof SESSION> | null,
  connectivity: { status: 0 | 1 | 2; datetime: string } = UNTESTED,
) =>
  stateOf({
    is_active: true,
    host_key: 'pinned',
    last_session: last && { ...SESSION, ...last },
    connectivity,
  });

it('shows an asset with a running session as in use, whatever the last test said', () => {
  expect(state({ is_finished: false, is_success: false })).toMatchObject({
    text: words.inUse,
    color: 'green',
    isLive: true,
  });
  expect(
    state(
      { is_finished: false, is_success: false },
      { status: 0, datetime: '2026-01-03 08:00:00 +0000' },
    ),
  ).toMatchObject({ text: words.inUse });
});

it('shows a failed last session, and "not used yet" only when the asset had no session', () => {
  expect(state({ is_success: false })).toMatchObject({
    text: words.sessionFailed,
    color: 'yellow',
  });
  expect(state({})).toMatchObject({ text: words.reachable });
  expect(state(null)).toMatchObject({ text: words.active, color: 'gray' });
});

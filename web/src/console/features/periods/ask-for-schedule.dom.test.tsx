import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Question } from '../../../kit/dialogs/confirmation.ts';
import { askForSchedule, PERIOD_INITIAL } from './period.tsx';

const SUGGESTED = { ...PERIOD_INITIAL, name: 'web servers', crontab: '', interval: 24 };

beforeEach(() => {
  vi.stubGlobal(
    'fetch',
    async () =>
      new Response(JSON.stringify({ times: ['2026-01-31 02:30:00 +0000'] }), {
        headers: { 'content-type': 'application/json' },
      }),
  );
});
afterEach(() => vi.unstubAllGlobals());

it('asks before a new plan runs every 24 hours: keeps the schedule, drops it, or saves nothing', async () => {
  const answers = [
    [(question: Question) => question.onConfirm(), true],
    [(question: Question) => question.other?.run(), { ...SUGGESTED, is_periodic: false }],
    [(question: Question) => question.onClose?.(), false],
  ] as const;
  for (const [answer, expected] of answers) {
    let lastQuestion: Question | undefined;
    const agreed = askForSchedule(SUGGESTED, false, (question) => {
      lastQuestion = question;
      answer(question);
    });
    expect(await agreed).toEqual(expected);
    expect(lastQuestion).toMatchObject({
      title: '每 24 小时执行一次？',
      confirm: '保留定时',
      message: expect.stringMatching(/首次执行：2026\/01\/31/),
    });
  }
});

it('asks nothing for a schedule that the user chose, a plan without one, or a stored plan', async () => {
  expect(await askForSchedule({ ...SUGGESTED, crontab: '0 3 * * 0' }, false)).toBe(true);
  expect(await askForSchedule({ ...SUGGESTED, interval: 12 }, false)).toBe(true);
  expect(await askForSchedule({ ...SUGGESTED, is_periodic: false }, false)).toBe(true);
  expect(await askForSchedule(SUGGESTED, true)).toBe(true);
});

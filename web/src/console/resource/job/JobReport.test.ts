import { expect, it } from 'vitest';
import { sentenceOf } from './JobReport.tsx';

const of = (outcome: string, done: number, failed: number, skipped: number, total: number) =>
  sentenceOf({ outcome, done, failed, skipped, total });

it('says the result of a job in one sentence, failures first', () => {
  expect([
    of('partly', 20, 3, 1, 20),
    of('failed', 115, 115, 0, 115),
    of('nothing', 13, 0, 13, 13),
    of('nothing', 0, 0, 0, 0),
    of('canceled', 4, 0, 0, 10),
    of('running', 4, 0, 0, 10),
    of('succeeded', 0, 0, 0, 0),
  ]).toEqual([
    '20 项中 3 项失败，16 项成功，跳过 1 项。',
    '115 项全部失败。',
    '13 项全部跳过。',
    '没有对象。',
    '10 项中 4 项成功，6 项未处理。',
    '已完成 4 / 10。',
    '',
  ]);
});

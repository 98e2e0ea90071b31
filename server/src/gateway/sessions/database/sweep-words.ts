import { type Language, type SweepAct, say } from '@sallyport/contract';
import type { Sweep } from '../../protocols/sql/sweep.ts';
import { printable } from './transcript.ts';

/** Maximum number of targets in one question. */
const MAX_LISTED = 5;

const QUESTIONS = {
  update: {
    en: 'This changes every row of {target}. The statement has no WHERE.',
    zh: '该语句没有 WHERE，会修改 {target} 的所有行。',
  },
  delete: {
    en: 'This deletes every row of {target}. The statement has no WHERE.',
    zh: '该语句没有 WHERE，会删除 {target} 的所有行。',
  },
  truncate: { en: 'This deletes every row of {target}.', zh: '该语句会删除 {target} 的所有行。' },
  drop: {
    en: 'This removes {target} and everything in it.',
    zh: '该语句会删除 {target} 及其全部内容。',
  },
  flush: { en: 'This deletes every key.', zh: '该命令会删除所有键。' },
} as const satisfies Readonly<Record<SweepAct, object>>;

const UNCONFIRMED = {
  en: 'Not run: you did not confirm that it may affect every row.',
  zh: '未执行：您没有确认影响所有行的操作。',
} as const;

/** The question before statements that affect every row, one line per target. */
export function sayQuestion(sweeps: readonly Sweep[], language: Language): string {
  const lines = new Set(
    sweeps.map(({ act, target }) => say(QUESTIONS[act], language, { target: printable(target) })),
  );
  return [...[...lines].slice(0, MAX_LISTED), ...(lines.size > MAX_LISTED ? ['…'] : [])].join('\n');
}

/** The refusal after an answer other than yes. */
export const sayUnconfirmed = (language: Language): string => say(UNCONFIRMED, language);

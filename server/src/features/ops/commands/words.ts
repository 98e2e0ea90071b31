import {
  ERRORS,
  type ErrorCode,
  type ErrorParams,
  type Language,
  type LocalText,
  say,
} from '@sallyport/contract';

/** Log texts of the job. */
export const words = {
  title: { en: 'Run a batch command', zh: '执行批量命令' },
  upkeep: { en: 'Clean up batch commands', zh: '清理批量命令' },
  start: { en: '---------- Start {time} ----------', zh: '---------- 任务开始 {time} ----------' },
  end: {
    en: '---------- End: {done, number} succeeded, {failed, number} failed ----------',
    zh: '---------- 任务结束：成功 {done, number}，失败 {failed, number} ----------',
  },
  succeeded: {
    en: '{host} | succeeded ({milliseconds} ms)',
    zh: '{host} | 成功（{milliseconds} 毫秒）',
  },
  failed: { en: '{host} | failed: {reason}', zh: '{host} | 失败：{reason}' },
} as const satisfies Record<string, LocalText>;

/** An error text in both languages, as stored. */
export function worded(code: ErrorCode, params: ErrorParams = {}): LocalText {
  const word = (language: Language) => say(ERRORS[code], language, params);
  return { en: word('en'), zh: word('zh') };
}

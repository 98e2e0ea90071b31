import type { DirectoryTest, Language, LocalText } from '@sallyport/contract';
import { say } from '@sallyport/contract';
import { DirectoryError, type DirectoryStep, type Traced } from '../../platform/directory/trace.ts';
import { Rejected } from '../../platform/errors.ts';

const LABELS: Readonly<Record<DirectoryStep, LocalText>> = {
  settings: { en: 'Settings', zh: '设置' },
  connect: { en: 'Connection', zh: '连接服务器' },
  tls: { en: 'Encryption', zh: '加密连接' },
  bind: { en: 'Bind', zh: '绑定 DN' },
  search: { en: 'Search', zh: '搜索' },
  match: { en: 'Match', zh: '匹配用户' },
  user_bind: { en: 'User password', zh: '验证用户密码' },
};

/** The steps of a test with their labels. */
export function showSteps(steps: readonly Traced[], language: Language): DirectoryTest['steps'] {
  return steps.map(({ step, ok, detail, milliseconds }) => ({
    step,
    label: say(LABELS[step], language),
    ok,
    detail,
    milliseconds,
  }));
}

/**
 * Converts a failure of the directory to an error with the failed step. Returns other errors
 * unchanged.
 */
export function refusalOf(error: unknown, language: Language): unknown {
  if (!(error instanceof DirectoryError)) return error;
  const params = { step: say(LABELS[error.step], language), reason: error.message };
  return new Rejected('directory_failed', params, { steps: showSteps(error.steps, language) });
}

import { ERRORS, type Language, type LocalText, say } from '@sallyport/contract';
import type { CanaryResult, CanaryStep } from './run-canary.ts';

const STEPS: Readonly<Record<CanaryStep, LocalText>> = {
  open: { en: 'No session could be opened', zh: '无法打开会话' },
  type: { en: 'The shell did not answer', zh: 'Shell 没有响应' },
  end: { en: 'The session did not end with a finished recording', zh: '会话结束时录像未完成' },
  replay: { en: 'The recording could not be replayed', zh: '录像无法回放' },
  verify: {
    en: 'The recording or the command does not match what was sent',
    zh: '录像或命令与发送的内容不符',
  },
};

/** Returns the reason of a failed run in both languages; undefined for a successful one. */
export function failureInWords({ failed }: CanaryResult): LocalText | undefined {
  if (!failed) return undefined;
  const { step, problem } = failed;
  const inLanguage = (language: Language) => {
    const text = say(STEPS[step], language);
    if (!problem || problem.code === 'internal') return text;
    return language === 'zh'
      ? `${text}：${say(ERRORS[problem.code], language, problem.params)}`
      : `${text}: ${say(ERRORS[problem.code], language, problem.params)}`;
  };
  return { en: inLanguage('en'), zh: inLanguage('zh') };
}

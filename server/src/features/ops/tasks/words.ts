import { type Language, type LocalText, say } from '@sallyport/contract';

/** Task titles by kind of job. The subject follows after a colon. */
const TITLES: Readonly<Record<string, LocalText>> = {
  'test-assets': { en: 'Test asset connectivity', zh: '测试资产可连接性' },
  'test-system-user': { en: 'Test system user connectivity', zh: '测试系统用户可连接性' },
  'read-hardware': { en: 'Refresh asset hardware info', zh: '更新资产硬件信息' },
  'check-push': { en: 'Push dry run', zh: '试运行推送' },
  'push-system-user': { en: 'Push system users to assets', zh: '推送系统用户到资产' },
};

/** Texts of scheduled runs. */
export const words = {
  run: { en: 'Run a scheduled task', zh: '定时执行任务' },
  upkeep: { en: 'Clean up tasks', zh: '清理任务' },
  periodic: { en: 'Schedule', zh: '定时执行' },
} as const satisfies Record<string, LocalText>;

export function taskName(job: string, subject: string, language: Language): string {
  const title = say(TITLES[job] ?? { en: job, zh: job }, language);
  return subject === '' ? title : `${title}: ${subject}`;
}

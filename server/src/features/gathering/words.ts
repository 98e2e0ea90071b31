/** Log texts of the job. */
export const words = {
  gather: { en: 'Gather the users of assets', zh: '收集资产上的用户' },
  found: {
    en: '{name}: {count, plural, one {# user} other {# users}} ({milliseconds} ms)',
    zh: '{name}：{count, number} 个用户（{milliseconds} 毫秒）',
  },
  failed: { en: '{name}: {reason}', zh: '{name}：{reason}' },
  summary: {
    en: '{done, number} succeeded, {failed, number} failed.',
    zh: '成功 {done, number}，失败 {failed, number}。',
  },
} as const;

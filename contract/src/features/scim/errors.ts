import type { LocalText } from '../../kit/text.ts';

/** Errors of SCIM. */
export const ERRORS = {
  scim_test_failed: { en: '{step} failed: {reason}', zh: '{step}失败：{reason}' },
  scim_too_many_tokens: {
    en: '{max} tokens exist already. Revoke one first.',
    zh: '已有 {max} 个令牌，请先撤销一个。',
  },
  scim_token_end: {
    en: 'Must be in the future, and at most {max} days away.',
    zh: '必须晚于当前时间，且不超过 {max} 天。',
  },
} as const satisfies Record<string, LocalText>;

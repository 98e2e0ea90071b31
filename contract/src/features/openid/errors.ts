import type { LocalText } from '../../kit/text.ts';

/** Errors of OpenID Connect. */
export const ERRORS = {
  openid_test_failed: { en: '{step} failed: {reason}', zh: '{step}失败：{reason}' },
} as const satisfies Record<string, LocalText>;

import type { LocalText } from './kit/text.ts';

/** States of an account at its source: a directory or an identity provider. */
export const SOURCE_STATE_LABELS = {
  listed: { en: 'Listed', zh: '正常' },
  disabled: { en: 'Disabled', zh: '已禁用' },
  expired: { en: 'Expired', zh: '已过期' },
  locked: { en: 'Locked', zh: '已锁定' },
  must_change: { en: 'Must change password', zh: '须修改密码' },
  gone: { en: 'No longer listed', zh: '已不在目录中' },
} as const satisfies Readonly<Record<string, LocalText>>;

export type SourceState = keyof typeof SOURCE_STATE_LABELS;

/**
 * States that end every way in and every session. The others of a listed user only refuse new
 * sign-ins: wrong passwords of a stranger must not end a user's work.
 */
export const SHUT_STATES: readonly SourceState[] = ['disabled', 'expired', 'gone'];

import type { LocalText } from '../../kit/text.ts';

export const ERRORS = {
  emergency_too_long: {
    en: 'Emergency access can be opened for at most {max} minutes.',
    zh: '最长可启用 {max} 分钟。',
  },
  emergency_active: {
    en: 'This emergency access is already open until {until}.',
    zh: '该访问已启用，有效期至 {until}。',
  },
  emergency_too_many: {
    en: 'You have {max} emergency accesses open. End one of them first.',
    zh: '您已启用 {max} 个紧急访问，请先结束其中一个。',
  },
  emergency_no_reviewer: {
    en: 'You are the only available reviewer. Ask an administrator to add a reviewer who can sign in.',
    zh: '目前除您本人外没有可用的复核人，请联系管理员指定可以登录的复核人。',
  },
  emergency_reviewer_left: {
    en: 'Reviewers are still available. Ask one of them.',
    zh: '仍有可用的复核人，请联系复核人处理。',
  },
  emergency_needs_review: {
    en: 'Only a review can close this ticket.',
    zh: '该工单须经复核后才能关闭。',
  },
  emergency_not_over: {
    en: 'The access is still open. Review it after it has ended.',
    zh: '访问尚未结束，请在结束后复核。',
  },
  emergency_unopened: {
    en: 'Open the recordings first. You have not opened {count, plural, one {# recording} other {# recordings}}.',
    zh: '请先打开录像：您还有 {count} 个录像未打开。',
  },
  reviewer_cannot_watch: {
    en: 'Reviewers must be administrators or auditors, and able to sign in.',
    zh: '复核人必须是可以登录的管理员或审计员。',
  },
  session_emergency_ended: {
    en: 'Your emergency access has ended, and the session with it.',
    zh: '您的紧急访问已结束，会话随之结束。',
  },
  notice_emergency_ended: {
    en: 'The emergency access has ended. Another permission keeps this session open.',
    zh: '紧急访问已结束。其他授权仍然有效，会话继续。',
  },
} as const satisfies Record<string, LocalText>;

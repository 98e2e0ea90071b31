import type { OptionalFeature } from '../feature.ts';

export { ERRORS } from './errors.ts';
export { SESSION_END, SESSION_FIELDS, SESSION_MARK } from './session.ts';

export const FEATURE = {
  title: { en: 'Emergency access', zh: '紧急访问' },
  without: {
    en: 'Users cannot open emergency access, and nobody can review it.',
    zh: '用户无法启用紧急访问，也无法复核。',
  },
  protects: {
    en: 'Open emergency access ends at the start, and its tickets wait for their review.',
    zh: '启动时结束已启用的紧急访问，其工单等待复核。',
  },
} as const satisfies OptionalFeature;

/** Tickets about emergency access. Reviewers answer them. */
export const TICKET_TYPE = {
  value: 'emergency',
  label: { en: 'Emergency access', zh: '紧急访问' },
} as const;

/** News for reviewers. */
export const NEWS = [
  { value: 'emergency_opened', label: { en: 'Emergency access', zh: '紧急访问' } },
  { value: 'emergency_ended', label: { en: 'Recordings to review', zh: '待复核录像' } },
] as const;

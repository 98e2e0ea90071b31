import { boolean } from '../../kit/field.ts';

/** Fields of sessions. */
export const SESSION_FIELDS = {
  /** True if the session used emergency access. */
  is_emergency: boolean({
    label: { en: 'Emergency access', zh: '紧急访问' },
    readOnly: true,
    filter: true,
    order: true,
  }),
};

/** The badge of such sessions. */
export const SESSION_MARK = {
  field: 'is_emergency',
  label: { en: 'Emergency', zh: '紧急' },
  hint: {
    zh: '紧急访问会话，须事后复核',
    en: 'Emergency access session, must be reviewed afterwards',
  },
} as const;

/** The end of a session with the access. */
export const SESSION_END = {
  code: 'session_emergency_ended',
  /** For a session that another permission keeps open. */
  notice: 'notice_emergency_ended',
  reason: { zh: '紧急访问已结束', en: 'The emergency access ended.' },
  title: { zh: '紧急访问已结束', en: 'Your emergency access has ended' },
  hint: {
    zh: '会话随紧急访问结束，需要时请重新发起。',
    en: 'The session ended with it. Open emergency access again if you still need it.',
  },
} as const;

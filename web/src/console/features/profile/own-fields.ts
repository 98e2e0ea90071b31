import { choice, type Fields, user } from '@sallyport/contract';
import { words } from './words.ts';

const { username, name, email, phone, wechat, comment, public_key, mfa_level } = user.fields;

/** What a person may change of their own account, and what is shown next to it for orientation. */
export const OWN_FIELDS = {
  username: { ...username, mode: 'readonly' },
  name: { ...name, mode: 'readonly' },
  email: { ...email, mode: 'readonly' },
  phone,
  wechat,
  comment,
  public_key,
  // Forcing it is for administrators.
  mfa_level: choice({
    label: mfa_level.label,
    choices: [
      { value: 0, label: words.disable },
      { value: 1, label: words.enable },
    ],
  }),
} satisfies Fields;

/** The fields that are only shown. */
export const FIXED = { username: { disabled: () => true }, name: { disabled: () => true }, email: { disabled: () => true } } as const;

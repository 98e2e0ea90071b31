import { type Field, type FieldMetadata, say, user } from '@sallyport/contract';
import { language, t } from '../../../kit/i18n/index.ts';
import { words } from './words.ts';

/** The own account is no resource with metadata of its own: its fields are described like those of any account. */
function describe(field: Field, more: Partial<FieldMetadata> = {}): FieldMetadata {
  return {
    type: 'string',
    required: false,
    read_only: false,
    write_only: field.mode === 'writeonly',
    label: say(field.label, language),
    ...(field.max !== undefined && { max_length: field.max }),
    ...(field.multiline && { multiline: true }),
    ...more,
  };
}

/** What a person may change of the own account, and what stands beside it for orientation. */
export const OWN_FIELDS: Readonly<Record<string, FieldMetadata>> = {
  username: describe(user.fields.username, { read_only: true }),
  name: describe(user.fields.name, { read_only: true }),
  email: describe(user.fields.email, { read_only: true, type: 'email' }),
  phone: describe(user.fields.phone),
  wechat: describe(user.fields.wechat),
  comment: describe(user.fields.comment),
  public_key: describe(user.fields.public_key),
  // Forcing it is for administrators.
  mfa_level: describe(user.fields.mfa_level, {
    type: 'choice',
    required: true,
    choices: [
      { value: 0, display_name: t(words.disable) },
      { value: 1, display_name: t(words.enable) },
    ],
  }),
};

/** The fields that are only looked at. */
export const FIXED = { username: { disabled: () => true }, name: { disabled: () => true }, email: { disabled: () => true } } as const;

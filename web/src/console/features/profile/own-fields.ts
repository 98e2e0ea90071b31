import { choice, type Fields, type Profile, user } from '@sallyport/contract';
import type { FieldOverrides } from '../../resource/form/spec.ts';
import { TextRow } from './TextRow.tsx';
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

/** The fields that are only shown, each with where or by whom it is changed. */
export function shownOnly({ source, own_changes: changes }: Profile): FieldOverrides {
  const shown = (name: 'name' | 'email') => ({
    widget: TextRow,
    help: changes.includes(name)
      ? words.onIdentityTab
      : source === 'local'
        ? words.byAdministrators
        : words.fromDirectory,
  });
  return {
    username: { widget: TextRow, help: words.byAdministrators },
    name: shown('name'),
    email: shown('email'),
  };
}

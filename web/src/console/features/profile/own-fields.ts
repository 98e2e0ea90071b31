import { choice, type Fields, type Profile, user } from '@sallyport/contract';
import type { FieldOverrides } from '../../resource/form/spec.ts';
import { TextRow } from './TextRow.tsx';
import { words } from './words.ts';

const { username, name, email, phone, wechat, comment, public_key, mfa_level } = user.fields;

/** Fields of the own account: editable ones, and read-only ones for context. */
export const OWN_FIELDS = {
  username: { ...username, mode: 'readonly' },
  name: { ...name, mode: 'readonly' },
  email: { ...email, mode: 'readonly' },
  phone,
  wechat,
  comment,
  public_key,
  // Only administrators can enforce the second factor.
  mfa_level: choice({
    label: mfa_level.label,
    choices: [
      { value: 0, label: words.disable },
      { value: 1, label: words.enable },
    ],
  }),
} satisfies Fields;

/** Read-only fields, each with a hint on how to change it. */
export function shownOnly({ source, own_changes: changes }: Profile): FieldOverrides {
  const readOnly = (name: 'name' | 'email') => ({
    widget: TextRow,
    help: changes.includes(name)
      ? words.onIdentityTab
      : source === 'local'
        ? words.byAdministrators
        : words.fromDirectory,
  });
  return {
    username: { widget: TextRow, help: words.byAdministrators },
    name: readOnly('name'),
    email: readOnly('email'),
  };
}

import { boolean, user } from '@sallyport/contract';
import { useObjectId } from '../../base/navigation.tsx';
import { useSession } from '../../base/session.tsx';
import type { FieldOverrides, FormGroup } from '../../resource/form/spec.ts';
import { FormPage } from '../../resource/ResourcePages.tsx';
import { PasswordField } from './PasswordField.tsx';
import { asksForPassword, BY_HAND, BY_MAIL, sentBody } from './password-strategy.ts';
import { words } from './words.ts';

const LONG_DAYS = 36_500;
const DAY = 86_400_000;

type OwnField = 'update_password' | 'set_public_key';

const GROUPS: readonly FormGroup<keyof typeof user.fields | OwnField>[] = [
  { title: words.account, fields: ['name', 'username', 'email', 'groups'] },
  { title: words.authentication, fields: ['password_strategy', 'update_password', 'password', 'set_public_key', 'public_key', 'mfa_level', 'source'] },
  { title: words.secure, fields: ['role', 'date_expired'] },
  { title: words.other, fields: ['is_active', 'phone', 'wechat', 'comment'] },
];

/** What protects one's own account is changed on the profile page; whether anybody may keep an SSH key, the settings say. */
const overridesFor = ({ isOwn, mayHaveKey }: { readonly isOwn: boolean; readonly mayHaveKey: boolean }): FieldOverrides => ({
  // Auditors are in none.
  groups: { hidden: ({ role }) => role === 'Auditor' },
  password_strategy: { required: true, hidden: (values, updating) => updating || values.source !== 'local' },
  update_password: {
    clientOnly: boolean({ label: words.updatePassword, required: false }),
    hidden: (values, updating) => isOwn || !updating || values.source !== 'local' || values.update_password === true,
  },
  password: { widget: PasswordField, required: true, hidden: (values, updating) => !asksForPassword(values, updating) },
  set_public_key: {
    clientOnly: boolean({ label: words.setPublicKey, required: false }),
    hidden: (values, updating) => !mayHaveKey || !updating || values.set_public_key === true,
  },
  public_key: { hidden: (values, updating) => !mayHaveKey || (updating && values.set_public_key !== true) },
  source: { disabled: () => isOwn },
  name: { disabled: () => isOwn },
  username: { disabled: () => isOwn },
  email: { disabled: () => isOwn },
  mfa_level: { disabled: () => isOwn },
  role: { disabled: () => isOwn },
  date_expired: { disabled: () => isOwn },
});

/** Creates or changes an account. What is secret is asked for only when somebody wants to change it. */
export function UserForm() {
  const id = useObjectId();
  const { profile, settings } = useSession();
  const isNew = id === '';
  // Where nothing can be mailed the form begins with what works.
  const strategy = settings.PASSWORD_BY_MAIL ? BY_MAIL : BY_HAND;
  const initial = isNew ? { password_strategy: strategy, date_expired: new Date(Date.now() + LONG_DAYS * DAY).toISOString() } : {};
  const overrides = overridesFor({ isOwn: id === profile.id, mayHaveKey: settings.TERMINAL_PUBLIC_KEY_AUTH });
  return <FormPage<typeof user.fields, OwnField> source={user} groups={GROUPS} overrides={overrides} initial={initial} toBody={sentBody} />;
}

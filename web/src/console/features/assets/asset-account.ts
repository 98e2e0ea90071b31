import { adminUser, choice, type Fields, secret, text } from '@sallyport/contract';
import type { FormValues } from '../../resource/form/form-state.ts';
import type { FieldOverrides } from '../../resource/form/spec.ts';
import { words } from './words.ts';

const STORED = 'stored';
const NEW = 'new';
const { username, password, private_key: key } = adminUser.fields;

/** Fields of the asset form for an admin user that is created with the asset. */
const FIELDS = {
  account: choice({
    label: words.signInWith,
    choices: [
      { value: STORED, label: words.storedAccount },
      { value: NEW, label: words.newAccount },
    ],
    defaultValue: STORED,
  }),
  account_username: text({ label: username.label, max: 32, format: 'username', example: 'root' }),
  account_password: secret({
    label: password.label,
    ...(password.help && { help: password.help }),
    max: password.max,
  }),
  account_key: secret({ label: key.label, max: key.max, multiline: true }),
} as const satisfies Fields;

export type AccountField = keyof typeof FIELDS;

/** Returns true if the form creates an admin user. */
export const isNewAccount = (values: FormValues) => values.account === NEW;
const isStored = (values: FormValues) => !isNewAccount(values);

/** Also for existing assets, which have no such field. */
export const ACCOUNT_INITIAL: FormValues = { account: STORED };

/** The stored admin user, or the fields of a new one. */
export const ACCOUNT_OVERRIDES: FieldOverrides = {
  account: { clientOnly: FIELDS.account, isControl: true, isWide: true },
  admin_user: { hidden: isNewAccount },
  account_username: {
    clientOnly: FIELDS.account_username,
    required: true,
    hidden: isStored,
    help: words.newAccountHelp,
  },
  account_password: { clientOnly: FIELDS.account_password, hidden: isStored },
  account_key: { clientOnly: FIELDS.account_key, hidden: isStored },
};

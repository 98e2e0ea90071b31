import { PROTOCOLS, protocolOf, type systemUser } from '@sallyport/contract';
import type { FormValues } from '../../resource/form/form-state.ts';
import type { FieldOverrides, FormGroup } from '../../resource/form/spec.ts';
import { words } from './words.ts';

export const GROUPS: readonly FormGroup<keyof typeof systemUser.fields>[] = [
  {
    title: words.basic,
    fields: ['name', 'login_mode', 'username', 'username_same_with_user', 'priority', 'protocol'],
  },
  {
    title: words.auth,
    fields: ['auto_push', 'auto_generate_key', 'no_password', 'password', 'private_key'],
  },
  {
    title: words.other,
    fields: [
      'confirm_all_rows',
      'autocommit',
      'enforced',
      'allowed_commands',
      'cmd_filters',
      'sftp_root',
      'sudo',
      'shell',
      'home',
      'comment',
    ],
  },
];

/** The account settings of the selected protocol. */
const accountOf = (values: FormValues) =>
  (protocolOf(String(values.protocol)) ?? PROTOCOLS[0]).account;

/** Command filters need typed lines, which desktops do not have. */
export const typesCommands = (protocol: string) => protocol !== 'vnc' && protocol !== 'rdp';

/** The query workspace runs statements on these protocols. */
export const isDatabase = (protocol: unknown) =>
  protocolOf(String(protocol))?.sessionKind === 'query';

/** A push creates accounts on assets for these protocols. */
export const canPush = (values: FormValues) =>
  values.login_mode === 'auto' && (values.protocol === 'ssh' || values.protocol === 'rdp');

/** Only VNC servers can run without a password. */
const canBeOpen = (values: FormValues) => values.login_mode === 'auto' && values.protocol === 'vnc';

/**
 * Secrets can be generated for protocols with private keys, because the public key stays readable.
 * A generated password is never shown, so it needs a push to reach the assets.
 */
const offersKey = (values: FormValues) =>
  values.login_mode === 'auto' &&
  (accountOf(values).privateKey || (canPush(values) && values.auto_push === true));

const takesKey = (values: FormValues) =>
  values.login_mode === 'auto' && accountOf(values).privateKey;

const isGenerated = (values: FormValues, updating: boolean) =>
  !updating && offersKey(values) && values.auto_generate_key === true;

export const OVERRIDES: FieldOverrides = {
  priority: { required: true },
  username: { disabled: (values) => values.username_same_with_user === true },
  auto_push: { hidden: (values) => !canPush(values) },
  auto_generate_key: { hidden: (values, updating) => updating || !offersKey(values) },
  no_password: { hidden: (values) => !canBeOpen(values) },
  password: {
    hidden: (values, updating) =>
      values.login_mode !== 'auto' ||
      isGenerated(values, updating) ||
      (canBeOpen(values) && values.no_password === true),
  },
  private_key: { hidden: (values, updating) => !takesKey(values) || isGenerated(values, updating) },
  confirm_all_rows: { hidden: (values) => !isDatabase(values.protocol) },
  autocommit: { hidden: (values) => !isDatabase(values.protocol) || values.protocol === 'redis' },
  enforced: { hidden: (values) => values.protocol !== 'ssh' },
  allowed_commands: {
    hidden: (values) => values.protocol !== 'ssh' || values.enforced !== true,
    required: true,
  },
  cmd_filters: { hidden: (values) => !typesCommands(String(values.protocol)) },
  sftp_root: { hidden: (values) => !accountOf(values).unixAccount },
  sudo: { hidden: (values) => !accountOf(values).unixAccount, required: true },
  shell: { hidden: (values) => !accountOf(values).unixAccount, required: true },
  home: { hidden: (values) => !accountOf(values).unixAccount },
};

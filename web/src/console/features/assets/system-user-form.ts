import { PROTOCOLS, protocolOf, type systemUser, TELNET_PATTERNS } from '@sallyport/contract';
import type { FormValues } from '../../resource/form/form-state.ts';
import { GUIDE } from '../../resource/form/guide-places.ts';
import { moreOptions } from '../../resource/form/more-options.ts';
import type { FieldOverrides, FormGroup } from '../../resource/form/spec.ts';
import { words } from './words.ts';

const TELNET_FIELDS = [...TELNET_PATTERNS, 'serial_line'] as const;

export const GROUPS: readonly FormGroup<keyof typeof systemUser.fields>[] = [
  { title: words.account, fields: ['name', 'protocol', 'username', 'password', 'private_key'] },
  {
    title: words.signIn,
    fields: [
      'login_mode',
      'certificate_principals',
      'certificate_minutes',
      'username_same_with_user',
      'auto_generate_key',
      'no_password',
      'su_from',
      'su_method',
      ...TELNET_FIELDS,
    ],
    isFolded: true,
  },
  { title: words.kept, fields: ['auto_push', 'shell', 'home', 'sudo'], isFolded: true },
  {
    title: words.limits,
    fields: [
      'enforced',
      'allowed_commands',
      'cmd_filters',
      'sftp_root',
      'charset',
      'confirm_all_rows',
      'preview_changes',
      'autocommit',
    ],
    isFolded: true,
  },
  moreOptions(['priority', 'comment']),
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
  (values.login_mode === 'auto' && (values.protocol === 'ssh' || values.protocol === 'rdp')) ||
  isCertified(values);

/** The account signs in with SSH certificates. */
export const isCertified = (values: FormValues) =>
  values.login_mode === 'certificate' && values.protocol === 'ssh';

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

/** Sessions sign in with another account first, and switch in a terminal. */
const canSwitch = (values: FormValues) =>
  (values.protocol === 'ssh' || values.protocol === 'telnet') &&
  values.login_mode === 'auto' &&
  values.username_same_with_user !== true &&
  values.enforced !== true;

const isGenerated = (values: FormValues, updating: boolean) =>
  !updating && offersKey(values) && values.auto_generate_key === true;

export const OVERRIDES: FieldOverrides = {
  login_mode: {
    guide: GUIDE.systemUsers,
    offers: (mode, { protocol }) => mode !== 'certificate' || protocol === 'ssh',
  },
  su_from: { hidden: (values) => !values.su_from && !canSwitch(values), guide: GUIDE.systemUsers },
  su_method: { hidden: (values) => !values.su_from },
  // A wrong protocol must not hide the fields: the error belongs to the sign-in mode.
  certificate_principals: {
    hidden: ({ login_mode: mode }) => mode !== 'certificate',
    guide: GUIDE.sshCertificates,
  },
  certificate_minutes: {
    hidden: ({ login_mode: mode }) => mode !== 'certificate',
    guide: GUIDE.sshCertificates,
  },
  ...Object.fromEntries(
    TELNET_FIELDS.map((name) => [
      name,
      { hidden: ({ protocol }: FormValues) => protocol !== 'telnet', guide: GUIDE.telnet },
    ]),
  ),
  priority: { required: true, guide: GUIDE.systemUsers },
  username: { disabled: (values) => values.username_same_with_user === true },
  auto_push: { hidden: (values) => !canPush(values), guide: GUIDE.pushing },
  auto_generate_key: {
    hidden: (values, updating) => updating || !offersKey(values),
    guide: GUIDE.systemUsers,
  },
  no_password: { hidden: (values) => !canBeOpen(values), guide: GUIDE.systemUsers },
  password: {
    hidden: (values, updating) =>
      values.login_mode !== 'auto' ||
      isGenerated(values, updating) ||
      (canBeOpen(values) && values.no_password === true),
  },
  private_key: { hidden: (values, updating) => !takesKey(values) || isGenerated(values, updating) },
  confirm_all_rows: { hidden: (values) => !isDatabase(values.protocol) },
  preview_changes: {
    hidden: (values) => !isDatabase(values.protocol) || values.protocol === 'redis',
  },
  autocommit: { hidden: (values) => !isDatabase(values.protocol) || values.protocol === 'redis' },
  enforced: { hidden: (values) => values.protocol !== 'ssh', guide: GUIDE.commandFilters },
  allowed_commands: {
    hidden: (values) => values.protocol !== 'ssh' || values.enforced !== true,
    required: true,
  },
  cmd_filters: { hidden: (values) => !typesCommands(String(values.protocol)) },
  sftp_root: { hidden: (values) => !accountOf(values).unixAccount, guide: GUIDE.sftpRoot },
  charset: { hidden: ({ protocol }) => protocol !== 'ssh' && protocol !== 'telnet' },
  sudo: {
    hidden: (values) => !accountOf(values).unixAccount,
    required: true,
    guide: GUIDE.pushing,
  },
  shell: { hidden: (values) => !accountOf(values).unixAccount, required: true },
  home: { hidden: (values) => !accountOf(values).unixAccount },
};

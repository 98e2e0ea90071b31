import type {
  AccessKeyRow,
  ConsoleStart,
  GeneratedKey,
  MfaEnrolled,
  MfaState,
  OtpVerified,
  OwnLoginLog,
  Page,
  Passkey,
  PasskeyBegin,
  Profile,
  PublicKeyInfo,
  RecoveryCodes,
  Row,
  SignInAnswer,
  SignInRow,
  TokenAnswer,
  TokenChallenge,
  TokenPending,
  TokenReview,
  TotpBegin,
} from '@sallyport/contract';
import { user } from '@sallyport/contract';
import { exampleId, exampleRow } from '../../http/openapi/examples.ts';
import { anyObject, type Shape, samples } from '../../http/shapes.ts';

/** Shapes of the types in `contract/src/api/authentication.ts`, which the compiler checks. */

const MOMENT = '2026-01-31 08:30:00 +0800';
const KEY =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIL/0tFxgfHq6M8tTSqUXHfWQuzChxBY6vPmF9XWMY2Q4 li.wei@example.com';
const FINGERPRINT = '0b:2c:6f:5d:61:9c:8e:0d:2f:84:fd:3a:5e:11:70:9a';

const full: Profile = {
  ...(exampleRow(user) as Row<typeof user>),
  role: 'User',
  public_key_comment: 'li.wei@example.com',
  public_key_hash_md5: FINGERPRINT,
  admin_or_audit_orgs: [{ id: exampleId('organization'), name: 'Shop' }],
  current_org_roles: ['User'],
  guide_url: 'https://wiki.example.com/sallyport',
  password_days_left: 90,
  password_sign_ins_left: 2,
  own_changes: ['email'],
  watermark: { text: 'Li Wei(li.wei) 203.0.113.20', strength: 'medium' },
  abilities: ['describe', 'groups'],
  refusals: { email: 'Change this on your profile page.' },
};
/** All nullable members are null here. */
const nulls = Object.fromEntries(
  Object.entries(user.fields).flatMap(([name, field]) => (field.nullable ? [[name, null]] : [])),
);
const bare: Profile = {
  ...full,
  ...nulls,
  groups: [],
  admin_or_audit_orgs: [],
  guide_url: null,
  password_days_left: null,
  password_sign_ins_left: null,
  own_changes: [],
  watermark: null,
  abilities: [],
  refusals: {},
};

export const PROFILE = samples<Profile>(full, bare);
/** The settings have their own shape, at their own address. */
export const CONSOLE_START = samples<Record<keyof ConsoleStart, object>>(
  { profile: full, preferences: { theme: 'dark' }, settings: { DEMO_MODE: false } },
  { profile: bare, preferences: {}, settings: {} },
);

const token: TokenAnswer = {
  token: 'fKz1V0p8xJ3mQe6R2bTnYwUa9LsDcGhX',
  keyword: 'Bearer',
  date_expired: '2026-02-01 08:30:00 +0800',
  user: full,
};
export const TOKEN = samples<TokenAnswer>(token, { ...token, user: bare });
const waiting: TokenReview = {
  error: 'login_confirm_wait',
  msg: 'Waiting for a reviewer.',
  data: { ticket_id: exampleId('ticket') },
};
/** State of the review of a script's sign-in. */
export const REVIEW = samples<TokenReview | { readonly msg: 'ok' }>({ msg: 'ok' }, waiting);
const challenge: TokenChallenge = {
  error: 'challenge_required',
  msg: 'The server that checks this password asks: Code of your token?',
  data: { message: 'Code of your token?', url: '/api/v1/authentication/password/challenge/' },
};
export const TOKEN_PENDING = samples<TokenPending | TokenReview | TokenChallenge>(
  waiting,
  challenge,
  {
    error: 'mfa_required',
    msg: 'Prove a second factor.',
    data: { choices: ['code', 'recovery'], url: '/api/v1/authentication/mfa/challenge/' },
  },
);
/** Name and password; an empty body continues after a second factor. */
export const TOKEN_BODY: Shape = {
  schema: {
    type: 'object',
    properties: {
      username: { type: 'string', maxLength: 128 },
      password: { type: 'string', maxLength: 1024, writeOnly: true },
    },
  },
  example: { username: 'li.wei', password: 'quiet-Harbour-4-lantern' },
};

/** A code of the authenticator, a recovery code, or the answer of a passkey. */
export const PROOF = samples<Record<string, unknown>>(
  { code: '482913' },
  { type: 'recovery', code: 'k7qf-2m9x' },
  { type: 'passkey', response: {} },
);
export const CODE_BODY = samples({ code: '482913' });
/** The password, unless a second factor was proved. */
export const PASSWORD_BODY = samples<Record<string, unknown>>(
  { password: 'quiet-Harbour-4-lantern' },
  {},
);

const mfa: MfaState = {
  level: 1,
  forced: false,
  totp: true,
  passkeys: 1,
  recovery_codes_left: 10,
  verified: true,
  date_verified: MOMENT,
};
export const MFA_STATE = samples<MfaState>(mfa, { ...mfa, verified: false, date_verified: null });
export const OTP_VERIFIED = samples<OtpVerified>({ ok: '1' });
export const PASSKEY_BEGIN: Shape = samples<PasskeyBegin>({
  options: { challenge: 'hV1p0Zb7m2Qw' },
});
export const TOTP_BEGIN = samples<TotpBegin>({
  secret: 'JBSWY3DPEHPK3PXP',
  uri: 'otpauth://totp/Sallyport:li.wei?secret=JBSWY3DPEHPK3PXP&issuer=Sallyport',
  qr_svg: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 33 33"></svg>',
});
export const ENROLLED = samples<MfaEnrolled>({ recovery_codes: ['k7qf-2m9x', 'p3wd-8c4t'] }, {});
export const RECOVERY_CODES = samples<RecoveryCodes>({
  recovery_codes: ['k7qf-2m9x', 'p3wd-8c4t'],
});

const passkey: Passkey = {
  id: exampleId('passkeys'),
  name: 'Laptop',
  date_created: MOMENT,
  date_last_used: MOMENT,
  synced: true,
};
export const PASSKEY = samples<Passkey>(passkey, { ...passkey, date_last_used: null });
export const PASSKEYS = samples<readonly Passkey[]>([
  passkey,
  { ...passkey, date_last_used: null },
]);
export const NEW_PASSKEY = samples<Passkey & MfaEnrolled>(
  { ...passkey, recovery_codes: ['k7qf-2m9x'] },
  { ...passkey, date_last_used: null },
);
/** Answer of a browser's authenticator. */
export const PASSKEY_ANSWER = samples({
  name: 'Laptop',
  response: { id: 'AbCd', type: 'public-key' },
});
export const PASSKEY_SIGN_IN = samples<Record<string, unknown>>(
  { response: { id: 'AbCd', type: 'public-key' }, next: '/ui/' },
  { response: {} },
);

export const SIGN_INS = samples<readonly SignInRow[]>([
  {
    id: exampleId('sign-ins'),
    kind: 'browser',
    remote_addr: '192.0.2.15',
    user_agent: 'Mozilla/5.0',
    device: 'Firefox on Linux',
    date_created: MOMENT,
    date_used: MOMENT,
    date_expired: '2026-02-01 08:30:00 +0800',
    current: true,
  },
]);

const accessKey: AccessKeyRow = {
  id: exampleId('access_key'),
  name: 'nightly export',
  is_active: true,
  date_created: MOMENT,
  date_expired: '2027-01-31 08:30:00 +0800',
  date_last_used: MOMENT,
  remote_addr: '192.0.2.15',
};
export const ACCESS_KEYS = samples<readonly AccessKeyRow[]>([
  accessKey,
  { ...accessKey, date_expired: null, date_last_used: null },
]);

const attempt: OwnLoginLog = {
  id: exampleId('login_log'),
  type: 'W',
  type_display: 'Web',
  ip: '192.0.2.15',
  city: 'LAN',
  user_agent: 'Mozilla/5.0',
  mfa: 1,
  mfa_display: 'Enabled',
  reason: '',
  reason_display: '',
  status: true,
  status_display: 'Success',
  datetime: MOMENT,
};
export const LOGIN_LOGS = samples<Page<OwnLoginLog>>(
  { count: 1, next: null, previous: null, results: [attempt] },
  { count: 16, next: 'x', previous: 'x', results: [{ ...attempt, city: null, user_agent: null }] },
);

const key: PublicKeyInfo = {
  public_key: KEY,
  public_key_comment: 'li.wei@example.com',
  public_key_hash_md5: FINGERPRINT,
};
export const PUBLIC_KEY = samples<PublicKeyInfo>(key);
export const PUBLIC_KEY_BODY = samples<Record<string, unknown>>(
  { public_key: KEY, password: 'quiet-Harbour-4-lantern' },
  { public_key: KEY },
);
export const GENERATED_KEY = samples<GeneratedKey>({
  ...key,
  private_key: '-----BEGIN RSA PRIVATE KEY-----',
  filename: 'li.wei-sallyport.pem',
});

export const OWN_BODY = samples<Record<string, unknown>>(
  { phone: '+86 138 0013 8000', wechat: 'li-wei-shop', comment: 'Shop team' },
  {},
);
export const PREFERENCES = anyObject({ theme: 'dark' });
export const NOTHING = anyObject({});
export const SIGN_IN_ANSWER = samples<SignInAnswer>(
  { next: '/ui/' },
  { state: 'mfa_required', username: 'li.wei', factors: ['totp'] },
);
export const SIGNED_OUT = samples({ next: '/core/auth/login/' });
export const DONE = samples({ msg: 'success' });

import type { SourceState } from '@sallyport/contract';
import type { Entry } from 'ldapts';

/**
 * Attributes that tell the state of a person. Directories ignore names that they do not know, and
 * most of these are operational: sent only on request.
 */
const STATE_ATTRIBUTES = [
  // Active Directory and Samba
  'userAccountControl',
  'msDS-User-Account-Control-Computed',
  'accountExpires',
  'lockoutTime',
  'pwdLastSet',
  // Active Directory Lightweight Directory Services
  'msDS-UserAccountDisabled',
  'ms-DS-UserAccountAutoLocked',
  // 389 Directory Server
  'nsAccountLock',
  'passwordExpirationTime',
  'accountUnlockTime',
  // OpenLDAP with its password policy
  'pwdAccountLockedTime',
  'pwdReset',
  'pwdEndTime',
  // RFC 2307
  'shadowExpire',
  // FreeIPA and MIT Kerberos
  'krbPrincipalExpiration',
  // OpenDJ, PingDirectory, Oracle Unified Directory
  'ds-pwp-account-disabled',
  'ds-pwp-account-expiration-time',
  // eDirectory
  'loginDisabled',
  'loginExpirationTime',
  'lockedByIntruder',
  'loginIntruderResetTime',
  // IBM Security Directory Server
  'ibm-pwdAccountLocked',
] as const;

/**
 * Permanent ids of entries, the preferred one first. They survive a new name and a move. The last
 * three are those of IBM Security Directory, eDirectory and Oracle Internet Directory.
 */
const KEY_ATTRIBUTES = [
  ...['objectGUID', 'entryUUID', 'nsUniqueId'],
  ...['ibm-entryUUID', 'GUID', 'orclGUID'],
] as const;
/** Values that are bytes, not text. */
export const BINARY_ATTRIBUTES: string[] = ['objectGUID', 'objectSid', 'GUID'];
export const PERSON_ATTRIBUTES: readonly string[] = [...STATE_ATTRIBUTES, ...KEY_ATTRIBUTES];

/** Attributes that disable an account if they are true, and those with the time of its end. */
const DISABLING = [
  ...(['msDS-UserAccountDisabled', 'nsAccountLock'] as const),
  ...(['ds-pwp-account-disabled', 'loginDisabled'] as const),
];
const ENDS = [
  'pwdEndTime',
  'krbPrincipalExpiration',
  'ds-pwp-account-expiration-time',
  'loginExpirationTime',
] as const;

/** Bits of userAccountControl. */
const DISABLED = 0x2;
const LOCKED_OUT = 0x10;
const PASSWORD_NEVER_EXPIRES = 0x1_0000;
const SMARTCARD_REQUIRED = 0x4_0000;
const PASSWORD_EXPIRED = 0x80_0000;

const DAY_MILLISECONDS = 86_400_000;
/** 1601-01-01, from which Active Directory counts steps of 100 nanoseconds. */
const FILETIME_EPOCH = 11_644_473_600_000;
/** Dates from here on mean never. */
const NEVER_FILETIME = 9_223_372_036_854_775_807n;

/** Attribute names are case insensitive, and directories return them in their own case. */
export function attributeIn(entry: Entry, attribute: string) {
  const name = Object.keys(entry).find(
    (candidate) => candidate.toLowerCase() === attribute.toLowerCase() && candidate !== 'dn',
  );
  return name === undefined ? undefined : entry[name];
}

type Attribute = (typeof STATE_ATTRIBUTES)[number];

function textIn(entry: Entry, attribute: Attribute): string {
  const [value] = [attributeIn(entry, attribute) ?? []].flat();
  return value === undefined ? '' : value.toString().trim();
}

function integerIn(entry: Entry, attribute: Attribute): bigint | undefined {
  const text = textIn(entry, attribute);
  return /^-?\d{1,19}$/.test(text) ? BigInt(text) : undefined;
}

const isTrue = (text: string) => text.toLowerCase() === 'true';

/** Parses a generalized time (RFC 4517 §3.3.13) to milliseconds; undefined for other texts. */
function generalizedTime(text: string): number | undefined {
  const match =
    /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})?(\d{2})?(?:[.,]\d+)?(?:Z|([+-])(\d{2})(\d{2})?)$/i.exec(
      text,
    );
  if (!match) return undefined;
  const [, year, month, day, hour, minute = '00', second = '00', sign, hours, minutes] = match;
  const local = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  if (Number.isNaN(local)) return undefined;
  const offset = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000;
  return sign === '-' ? local + offset : local - offset;
}

const isPast = (moment: number | undefined, now: number) => moment !== undefined && moment <= now;

function isExpired(entry: Entry, now: number): boolean {
  const filetime = integerIn(entry, 'accountExpires');
  // 0 and the largest number mean never.
  const isOver =
    filetime !== undefined &&
    filetime > 0n &&
    filetime < NEVER_FILETIME &&
    isPast(Number(filetime / 10_000n) - FILETIME_EPOCH, now);
  const days = integerIn(entry, 'shadowExpire');
  return (
    isOver ||
    ENDS.some((attribute) => isPast(generalizedTime(textIn(entry, attribute)), now)) ||
    (days !== undefined && days >= 0n && Number(days) * DAY_MILLISECONDS <= now)
  );
}

/** The value of pwdAccountLockedTime that only an administrator ends. */
const LOCKED_FOR_GOOD = /^0000010100(00)?(00)?Z$/i;

function isLocked(entry: Entry, computed: bigint | undefined, now: number): boolean {
  // Directories keep the times of a lock that has ended; the computed bits know its duration.
  if (computed !== undefined) return (Number(computed) & LOCKED_OUT) !== 0;
  const unlocks = generalizedTime(textIn(entry, 'accountUnlockTime'));
  // eDirectory leaves the mark of a lock that has ended.
  const isIntruder =
    isTrue(textIn(entry, 'lockedByIntruder')) &&
    !isPast(generalizedTime(textIn(entry, 'loginIntruderResetTime')), now);
  return (
    isIntruder ||
    isTrue(textIn(entry, 'ibm-pwdAccountLocked')) ||
    isTrue(textIn(entry, 'ms-DS-UserAccountAutoLocked')) ||
    (integerIn(entry, 'lockoutTime') ?? 0n) > 0n ||
    textIn(entry, 'pwdAccountLockedTime') !== '' ||
    (unlocks !== undefined && (unlocks === 0 || unlocks > now))
  );
}

function mustChange(entry: Entry, control: number, computed: bigint | undefined, now: number) {
  const isExempt = (control & (PASSWORD_NEVER_EXPIRES | SMARTCARD_REQUIRED)) !== 0;
  return (
    (computed !== undefined && (Number(computed) & PASSWORD_EXPIRED) !== 0) ||
    (integerIn(entry, 'pwdLastSet') === 0n && !isExempt) ||
    isTrue(textIn(entry, 'pwdReset')) ||
    isPast(generalizedTime(textIn(entry, 'passwordExpirationTime')), now)
  );
}

/** Returns the state of a person by the attributes of the known directories. */
export function stateOf(entry: Entry, now = Date.now()): SourceState {
  const control = Number(integerIn(entry, 'userAccountControl') ?? 0n);
  const computed = integerIn(entry, 'msDS-User-Account-Control-Computed');
  if (
    (control & DISABLED) !== 0 ||
    DISABLING.some((attribute) => isTrue(textIn(entry, attribute))) ||
    LOCKED_FOR_GOOD.test(textIn(entry, 'pwdAccountLockedTime'))
  )
    return 'disabled';
  if (isExpired(entry, now)) return 'expired';
  if (isLocked(entry, computed, now)) return 'locked';
  return mustChange(entry, control, computed, now) ? 'must_change' : 'listed';
}

/** Returns the permanent id of an entry with the name of its attribute; undefined without one. */
export function keyOf(entry: Entry): string | undefined {
  for (const attribute of KEY_ATTRIBUTES) {
    const [value] = [attributeIn(entry, attribute) ?? []].flat();
    if (value === undefined || value.length === 0 || value.length > 128) continue;
    const text = Buffer.isBuffer(value) ? value.toString('hex') : value.toLowerCase();
    return `${attribute}:${text}`;
  }
  return undefined;
}

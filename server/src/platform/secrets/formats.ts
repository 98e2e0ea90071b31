/** The kinds of secrets that marks and metrics count. */
export const SECRET_KINDS = [
  'private_key',
  'cloud_key',
  'token',
  'jwt',
  'authorization',
  'url_password',
  'assignment',
  'password_hash',
  'encoded_secret',
  'known_password',
] as const;
export type SecretKind = (typeof SECRET_KINDS)[number];

/** Counts of marks by kind. */
export type SecretCounts = Partial<Record<SecretKind, number>>;

/** A format that a fixed text introduces. */
export interface TokenFormat {
  readonly kind: SecretKind;
  /** The fixed texts; they stay readable unless `hidesPrefix`. */
  readonly prefixes: readonly string[];
  /** A character class for the rest, with the length that makes it a secret. */
  readonly body: string;
  readonly min: number;
  /** Exact length, if the format has one: a longer run of the class is something else. */
  readonly isExact?: boolean;
  /** True if the prefix may follow a letter or digit, as in base64. */
  readonly isAnywhere?: boolean;
  /** Ordinary texts contain the prefix, so a body needs a letter and a digit. */
  readonly needsDigit?: boolean;
}

const WORD = '\\w-';
const ALNUM = 'A-Za-z0-9';
const BASE64 = 'A-Za-z0-9+/=';
const HEX = '0-9a-fA-F';

const token = (
  prefixes: string,
  body: string,
  min: number,
  more: Partial<TokenFormat> = {},
): TokenFormat => ({ kind: 'token', prefixes: prefixes.split(' '), body, min, ...more });

/** Formats with a fixed prefix, by their issuers' documentation. */
export const TOKEN_FORMATS: readonly TokenFormat[] = [
  token('AKIA ASIA ABIA ACCA', 'A-Z0-9', 16, { kind: 'cloud_key', isExact: true }),
  token('AIza', WORD, 35, { kind: 'cloud_key' }),
  token('GOCSPX- ya29.', `.${WORD}`, 20, { kind: 'cloud_key' }),
  token('LTAI', ALNUM, 16, { kind: 'cloud_key', needsDigit: true }),
  token('AKID', ALNUM, 32, { kind: 'cloud_key', needsDigit: true }),
  token('dop_v1_ doo_v1_ dor_v1_', HEX, 40, { kind: 'cloud_key' }),
  token('ghp_ gho_ ghu_ ghs_ ghr_', ALNUM, 30),
  token('github_pat_', 'A-Za-z0-9_', 40),
  token('glpat- gldt- glrt- glptt- glft- glsoat- glcbt- glagent-', `.${WORD}`, 18),
  token('xoxb- xoxp- xoxa- xoxr- xoxs- xoxe- xapp-', 'A-Za-z0-9-', 20, { needsDigit: true }),
  token('hooks.slack.com/services/', 'A-Za-z0-9/', 30),
  token('discord.com/api/webhooks/ discordapp.com/api/webhooks/', `/${WORD}`, 40),
  token('sk_live_ sk_test_ rk_live_ rk_test_ whsec_', 'A-Za-z0-9+/=', 20),
  token('npm_', ALNUM, 36, { isExact: true }),
  token('pypi-AgE', WORD, 30),
  token('sk-ant- sk-proj- sk-svcacct- sk-or-v1-', WORD, 20, { needsDigit: true }),
  token('sk-', ALNUM, 32, { needsDigit: true }),
  token('hf_', ALNUM, 30, { needsDigit: true }),
  token('hvs. hvb. hvr.', `.${WORD}`, 20, { needsDigit: true }),
  token('SG.', `.${WORD}`, 40, { needsDigit: true }),
  token('dckr_pat_ dckr_oat_', WORD, 20),
  token('shpat_ shpss_ shpca_ shppa_', HEX, 32),
  token('PMAK-', `${HEX}-`, 40),
  token('ATATT3 ATCTT3', `=${WORD}`, 40),
  token('tskey-', WORD, 16, { needsDigit: true }),
  token('glsa_ glc_', `=${WORD}`, 30, { needsDigit: true }),
  token('lin_api_ ntn_ rubygems_ sbp_ pul- NRAK- dp.pt. dp.st. pscale_tkn_', `.${WORD}`, 26, {
    needsDigit: true,
  }),
  token('sntrys_ sntryu_', `+/=${WORD}`, 40),
  token('SK', HEX, 32, { isExact: true, needsDigit: true }),
  token('key-', '0-9a-f', 32, { isExact: true, needsDigit: true }),
  token('.atlasv1.', ALNUM, 40, { isAnywhere: true }),
  token('&sig= ?sig=', `${BASE64}%`, 30, { isAnywhere: true }),
  token('dapi', '0-9a-f', 32, { isExact: true }),
  token('AGE-SECRET-KEY-1', 'A-Z0-9', 40, { kind: 'private_key' }),
  token('age1secret', ALNUM, 40, { kind: 'private_key' }),
  // Hashes of passwords, as in /etc/shadow and htpasswd.
  // With a salt of one letter, MD5 has 24 characters after its prefix.
  token('$1$ $apr1$', 'A-Za-z0-9./$', 24, { kind: 'password_hash', isAnywhere: true }),
  token('$5$ $6$ $7$ $y$ $gy$ $2a$ $2b$ $2y$', 'A-Za-z0-9./$=,', 28, {
    kind: 'password_hash',
    isAnywhere: true,
  }),
  token('$argon2id$ $argon2i$ $scrypt$ $pbkdf2-sha256$', 'A-Za-z0-9./$=,+', 30, {
    kind: 'password_hash',
    isAnywhere: true,
  }),
  token('pbkdf2_sha256$ SCRAM-SHA-256$', 'A-Za-z0-9./$=,+:', 30, { kind: 'password_hash' }),
  token('{SHA} {SSHA} {SHA512} {SSHA512} {CRYPT}', 'A-Za-z0-9+/=.$', 24, {
    kind: 'password_hash',
    isAnywhere: true,
  }),
];

/** Lines that begin a block; the block is masked until its end line. */
export const BLOCK_BEGIN =
  /-{4,5} ?BEGIN (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}|Private-Lines: \d{1,3}/y;
export const BLOCK_END = /-{4,5} ?END |Private-MAC: /g;
/** A character that no line of a key block has: the block was cut before. */
export const NOT_IN_BLOCK = /[^A-Za-z0-9+/=\\:,.\-\s"'|>()#*]/;

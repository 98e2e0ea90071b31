import { ERRORS, type ErrorCode, type LocalText, type Problem, say } from '@sallyport/contract';

/** Error codes of Node and messages of OpenSSL. Many clients pass on the message only. */
const KNOWN: readonly (readonly [code: ErrorCode, pattern: RegExp])[] = [
  ['connect_certificate_expired', /\bCERT_HAS_EXPIRED\b|\bcertificate has expired\b/i],
  ['connect_certificate_early', /\bCERT_NOT_YET_VALID\b|\bcertificate is not yet valid\b/i],
  [
    'connect_certificate_name',
    /\bERR_TLS_CERT_ALTNAME_INVALID\b|does not match certificate's altnames/i,
  ],
  [
    'connect_certificate_untrusted',
    /\b(?:SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(?:_LOCALLY)?)\b|\bself[- ]signed certificate\b|\bunable to (?:verify the first certificate|get (?:local )?issuer certificate)\b/i,
  ],
];
/** Names at the end of Node's message. It lists no DNS names to a client that used an address. */
const NAMES = /^.*(?:altnames|list|cert's CN): *(.*)$/s;
/** The date that `noteDates` adds to the message. */
const DATE = /; valid (until|from) (\d{4}-\d\d-\d\d)T(\d\d:\d\d)/;
/** Errors around an error that are looked into. */
const MAX_CAUSES = 5;
const MAX_NAMES = 200;

/** Names of servers whose address a sentence about a certificate does not have. */
export const PEER = {
  provider: { en: 'the identity provider', zh: '身份提供方' },
  directory: { en: 'the LDAP server', zh: 'LDAP 服务器' },
  mail: { en: 'the mail server', zh: '邮件服务器' },
  storage: { en: 'the storage', zh: '存储服务器' },
  receiver: { en: 'the receiver', zh: '接收端' },
  cloud: { en: 'the cloud provider', zh: '云服务商' },
} as const satisfies Readonly<Record<string, LocalText>>;

function* causesOf(error: unknown): Generator<string> {
  let cause = error;
  for (let depth = 0; depth < MAX_CAUSES && cause !== undefined; depth++) {
    if (!(cause instanceof Error)) {
      yield String(cause);
      return;
    }
    const { code = '' } = cause as NodeJS.ErrnoException;
    yield `${code} ${cause.message}`;
    cause = cause.cause ?? (cause as Partial<AggregateError>).errors?.[0];
  }
}

/** Returns the date in a message in brackets; '' for none. */
function dateIn(message: string): string | LocalText {
  const [, kind, day, time] = DATE.exec(message) ?? [];
  if (!day) return '';
  const verb =
    kind === 'until' ? { en: 'valid until', zh: '有效期至' } : { en: 'valid from', zh: '生效时间' };
  return { en: ` (${verb.en} ${day} ${time} UTC)`, zh: `（${verb.zh} ${day} ${time} UTC）` };
}

const inBrackets = (names: string): string | LocalText =>
  names && { en: ` (${names.slice(0, MAX_NAMES)})`, zh: `（${names.slice(0, MAX_NAMES)}）` };

/**
 * Returns what is wrong with the certificate of a TLS server: expired, not valid yet, for other
 * names, or of an unknown authority. `error` may also be the message. Undefined for other errors.
 */
export function certificateProblemOf(
  error: unknown,
  host: string | LocalText,
): Problem | undefined {
  for (const text of causesOf(error))
    for (const [code, pattern] of KNOWN)
      if (pattern.test(text))
        return {
          code,
          params: { host, names: inBrackets(NAMES.exec(text)?.[1] ?? ''), date: dateIn(text) },
        };
  return undefined;
}

/** Returns the sentence for a certificate that was refused; undefined for other errors. */
export function certificateSentence(
  error: unknown,
  host: string | LocalText,
): LocalText | undefined {
  const problem = certificateProblemOf(error, host);
  if (!problem) return undefined;
  const text = ERRORS[problem.code];
  return { en: say(text, 'en', problem.params), zh: say(text, 'zh', problem.params) };
}

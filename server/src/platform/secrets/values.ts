/** The range of a secret, and the characters that continue it at the end of the text. */
export interface Found {
  readonly from: number;
  readonly to: number;
  /** Matches the rest of the value, if `to` is the end of the text. */
  readonly more?: RegExp;
}

/** The secret at a position of a text; `more` if only further text can tell. */
export type Finding = Found | 'more' | undefined;

const PLACEHOLDER =
  /^(?:[$<{%([&@!]|#!|\*+$|x+$|\.\.\.|-$|(?:true|false|null|none|nil|yes|no|on|off|undefined|required|optional|string|number|boolean|text|pass|passwd|password|secret|token|hidden|redacted|masked|empty|unset|default|disabled|enabled|sensitive|value|changed)\b\W*$)/i;
const CODE =
  /[()]|^[A-Za-z_$]+\d{0,2}(?:\??\.[A-Za-z_$]+\d{0,2})+[;,]?$|^v?\d+(?:\.\d+)+$|^0x[\da-f]+;?$|=>|\$\{|^\w+\[|^[a-z]+(?:_[a-z]+)+$/;
const ALGORITHMS =
  /sha-?\d|scram|base\d|utf|md5|x509|oauth|int\d|rfc|ed25519|ipv\d|http|argon|bcrypt/i;
const PATH = /^(?:\.{0,2}|~)\/[a-z0-9._-]+(?:\/[a-zA-Z0-9._-]+)*\/?$/;

export const isPlaceholder = (value: string): boolean => PLACEHOLDER.test(value);

/** Returns true if a text after a name like `password` is likely a secret, not prose or code. */
export function looksSecret(value: string): boolean {
  if (value.length < 6 || isPlaceholder(value) || CODE.test(value) || PATH.test(value))
    return false;
  if (value.length < 24 && ALGORITHMS.test(value)) return false;
  const hasLetter = /[A-Za-z]/.test(value);
  return hasLetter && (/\d/.test(value) || /[!@#$%^&*+=?~]/.test(value));
}

/** Returns true if base64 decodes to readable text, such as a password or `name:password`. */
export function isReadableBase64(value: string, needle = ''): boolean {
  if (value.length < 8) return false;
  const text = Buffer.from(value, 'base64').toString('latin1');
  return text.length > 3 && /^[\x20-\x7e\r\n\t]+$/.test(text) && text.includes(needle);
}

/** Returns true if a text has capitals, small letters and digits, as keys in base64 have. */
export const isMixed = (value: string): boolean =>
  /[A-Z]/.test(value) && /[a-z]/.test(value) && /\d/.test(value);

import { mayHoldSecret } from './find-secrets.ts';
import type { SecretKind } from './formats.ts';
import { OutputMask } from './output-mask.ts';
import { isPlaceholder } from './values.ts';

export interface MaskTextOptions {
  readonly known?: readonly string[];
  readonly onMask?: (kind: SecretKind) => void;
  /** The text was cut: an end that may begin a secret is masked. */
  readonly isCut?: boolean;
}

/** Masks secrets in a text, such as a command or a statement. */
export function maskText(
  text: string,
  { known = [], onMask, isCut = false }: MaskTextOptions = {},
): string {
  const mayHoldKnown = known.some((secret) => isCut || text.includes(secret));
  if (!mayHoldKnown && !mayHoldSecret(text, isCut)) return text;
  const parts: Buffer[] = [];
  const mask = new OutputMask({
    cols: 0,
    known,
    now: () => 0,
    onOutput: (part) => parts.push(part),
    ...(onMask && { onMask }),
  });
  mask.push(Buffer.from(text));
  if (isCut) mask.discard();
  else mask.flush();
  const masked = Buffer.concat(parts).toString('utf8');
  return isCut ? masked.padEnd(text.length, '*') : masked;
}

const SECRET_COLUMN =
  /(?:^|[_ -]|[a-z](?=[A-Z]))(?:pass(?:word|wd|phrase)?|pwd|secret|token|api[_-]?key|(?:access|private|secret)[_-]?key|credentials?|authentication_string)$|^rolpassword$/i;

/** Returns true if the values of a column of this name are secrets. */
export const isSecretColumn = (name: string): boolean => SECRET_COLUMN.test(name);

/** Masks a value of a column of secrets. */
export const maskValue = (value: string): string =>
  value.length < 4 || isPlaceholder(value) ? value : '*'.repeat(Math.min(value.length, 40));

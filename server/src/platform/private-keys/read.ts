import { createPrivateKey, type KeyObject } from 'node:crypto';
import type { Problem } from '@sallyport/contract';
import { openChachaKey, parseKey, readOpenSshFile } from '@sallyport/ssh';
import {
  cipherOf,
  cipherOfPem,
  isCostly,
  isUnsupported,
  openDesPem,
  openDesPkcs8,
} from './encryption.ts';
import { toSshForm } from './openssh.ts';
import { isTooCostly, openPuttyKey, type PuttyFile, readPuttyFile } from './putty.ts';

/** Names of the forms of key files. */
const NAMES = {
  openssh: 'OpenSSH',
  pem: 'PEM',
  pkcs8: 'PKCS#8',
  putty: 'PuTTY',
  unknown: '',
} as const;

/** Errors of keys that cannot be read. `closed`: the passphrase is wrong or missing. */
const CODES = {
  closed: 'private_key_closed',
  damaged: 'private_key_damaged',
  kind: 'private_key_kind',
  costly: 'private_key_costly',
  cipher: 'private_key_cipher',
} as const;

/** Form of a key file, by its first line. */
type KeyForm = keyof typeof NAMES;

/** The key in a form that SSH clients read, or the reason why it cannot be read. */
type ReadKey =
  | { readonly form: KeyForm; readonly key: string }
  | {
      readonly form: KeyForm;
      readonly problem: keyof typeof CODES;
      /** Name of a cipher that cannot be read. */
      readonly cipher?: string;
      /** Name of a kind of key that is not supported. */
      readonly kind?: string;
    };

const FORMS: readonly (readonly [RegExp, KeyForm])[] = [
  [/^-----BEGIN OPENSSH PRIVATE KEY-----/, 'openssh'],
  [/^-----BEGIN (?:ENCRYPTED )?PRIVATE KEY-----/, 'pkcs8'],
  [/^-----BEGIN (?:RSA|DSA|EC) PRIVATE KEY-----/, 'pem'],
  [/^PuTTY-User-Key-File-\d+: /, 'putty'],
];
/** Rounds of bcrypt; `ssh-keygen` asks for 16 or 24, and common advice for up to 100. */
const MOST_ROUNDS = 128;

/**
 * Reads a private key: OpenSSH, PEM, PKCS#8 and PuTTY files, open or with a passphrase. Other text
 * around the key and changed line breaks do no harm. Keys that SSH clients cannot read come back in
 * a form that they can.
 */
export async function readPrivateKey(
  text: string,
  passphrase: string | undefined,
): Promise<{ readonly key: string } | { readonly problem: Problem }> {
  let read = await readForm(text, passphrase ?? '');
  // Changed text around an encrypted key looks like a wrong passphrase.
  if ('problem' in read && read.problem !== 'costly' && read.problem !== 'cipher') {
    const block = blockOf(text);
    if (block) read = await readForm(block, passphrase ?? '');
  }
  if ('key' in read) return read;
  if (read.form === 'unknown') return { problem: { code: 'not_private_key' } };
  const { cipher, kind } = read;
  const params = { form: NAMES[read.form], ...(cipher && { cipher }), ...(kind && { kind }) };
  return { problem: { code: CODES[read.problem], params } };
}

const BEGIN = /-----BEGIN ((?:OPENSSH |RSA |DSA |EC |ENCRYPTED )?PRIVATE KEY)-----/;
/** Headers of an encrypted PEM key, which a blank line separates from its bytes. */
const HEADERS = /^((?:[\w-]+: [^\n]*\n)+)\n/;

/**
 * Returns the first private key of a text with its usual line breaks. Other programs write
 * parameters, certificates or attributes next to it, and forms and variables lose its line breaks
 * or indent its lines.
 */
function blockOf(text: string): string | undefined {
  const lines = text.replaceAll('\\n', '\n').split('\n');
  const plain = lines.map((line) => line.trim()).join('\n');
  const match = BEGIN.exec(plain);
  if (!match) return undefined;
  const [line, label = ''] = match;
  const start = match.index + line.length;
  const end = plain.indexOf(`-----END ${label}-----`, start);
  if (end < 0) return undefined;
  const inside = plain.slice(start, end).trimStart();
  const headers = HEADERS.exec(inside)?.[0] ?? '';
  const bytes = inside.slice(headers.length).replaceAll(/\s/g, '');
  const rows = bytes.match(/.{1,64}/g) ?? [];
  return `${line}\n${headers}${rows.join('\n')}\n-----END ${label}-----\n`;
}

async function readForm(text: string, passphrase: string): Promise<ReadKey> {
  const trimmed = text.trim();
  const form = FORMS.find(([pattern]) => pattern.test(trimmed))?.[1] ?? 'unknown';
  if (form === 'putty') return readPutty(trimmed, passphrase);
  if (form === 'pkcs8') return readPkcs8(trimmed, passphrase);
  if (form === 'openssh') return readOpenSsh(text, passphrase);
  const parsed = parseKey(text, passphrase || undefined);
  if (!(parsed instanceof Error) && parsed.isPrivateKey()) return { form, key: text };
  return form === 'pem' ? readPem(trimmed, passphrase) : { form, problem: 'damaged' };
}

const READABLE_TYPE = /^(?:ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-nistp\d+)$/;
/** Ciphers of `ssh-keygen -Z`. Older versions wrote Blowfish and RC4, too. */
const READABLE_CIPHER =
  /^(?:none|aes(?:128|192|256)-(?:cbc|ctr)|aes(?:128|256)-gcm@openssh\.com|3des-cbc|chacha20-poly1305@openssh\.com)$/;

function readOpenSsh(text: string, passphrase: string): ReadKey {
  const form = 'openssh';
  const file = readOpenSshFile(text);
  if (!file) return { form, problem: 'damaged' };
  // Keys on security devices, for example.
  if (!READABLE_TYPE.test(file.type)) return { form, problem: 'kind', kind: cleaned(file.type) };
  if (file.rounds > MOST_ROUNDS) return { form, problem: 'costly' };
  const open = passphrase === '' ? undefined : openChachaKey(file, passphrase);
  const parsed = parseKey(open ?? text, passphrase || undefined);
  if (!(parsed instanceof Error) && parsed.isPrivateKey()) return { form, key: open ?? text };
  if (READABLE_CIPHER.test(file.cipher))
    return { form, problem: file.rounds > 0 ? 'closed' : 'damaged' };
  return { form, problem: 'cipher', cipher: cleaned(file.cipher) };
}

/** A name from the file, for the message. */
const cleaned = (name: string): string => name.replace(/[^\w.@-]/g, '').slice(0, 40);

function readPem(text: string, passphrase: string): ReadKey {
  const form = 'pem';
  const isClosed = /^Proc-Type: 4,ENCRYPTED/m.test(text);
  try {
    const open = isClosed ? openDesPem(text, passphrase) : undefined;
    if (open && !(parseKey(open) instanceof Error)) return { form, key: open };
    return inSshForm(form, createPrivateKey({ key: open ?? text, passphrase }));
  } catch (error) {
    if (isClosed && isUnsupported(error))
      return { form, problem: 'cipher', cipher: cipherOfPem(text) };
    return { form, problem: isClosed ? 'closed' : 'damaged' };
  }
}

async function readPutty(text: string, passphrase: string): Promise<ReadKey> {
  const file = readPuttyFile(text);
  if (!file) return { form: 'putty', problem: 'damaged' };
  if (isTooCostly(file)) return { form: 'putty', problem: 'costly' };
  return openedPutty(file, passphrase);
}

async function openedPutty(file: PuttyFile, passphrase: string): Promise<ReadKey> {
  try {
    return inSshForm('putty', await openPuttyKey(file, passphrase));
  } catch {
    return { form: 'putty', problem: file.isEncrypted ? 'closed' : 'damaged' };
  }
}

function readPkcs8(text: string, passphrase: string): ReadKey {
  const isEncrypted = text.startsWith('-----BEGIN ENCRYPTED');
  if (isEncrypted && isCostly(text)) return { form: 'pkcs8', problem: 'costly' };
  try {
    const des = isEncrypted ? openDesPkcs8(text, passphrase) : undefined;
    return inSshForm('pkcs8', des ?? createPrivateKey({ key: text, passphrase }));
  } catch (error) {
    if (isEncrypted && isUnsupported(error))
      return { form: 'pkcs8', problem: 'cipher', cipher: cipherOf(text) };
    return { form: 'pkcs8', problem: isEncrypted ? 'closed' : 'damaged' };
  }
}

function inSshForm(form: KeyForm, key: KeyObject): ReadKey {
  const written = toSshForm(key);
  // ssh2 knows fewer curves than OpenSSL.
  const isUsable = written !== undefined && !(parseKey(written) instanceof Error);
  return isUsable ? { form, key: written } : { form, problem: 'kind', kind: kindOf(key) };
}

/** Name of the kind of a key: with its curve, or DSA, RSA-PSS, ED448. */
function kindOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string {
  const curve = asymmetricKeyDetails?.namedCurve;
  return curve ? `ECDSA ${curve}` : cleaned(asymmetricKeyType ?? '').toUpperCase();
}

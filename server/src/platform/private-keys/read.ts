import { createPrivateKey, type KeyObject } from 'node:crypto';
import type { Problem } from '@sallyport/contract';
import { parseKey, WireReader } from '@sallyport/ssh';
import { fromBER, Integer, ObjectIdentifier, Sequence } from 'asn1js';
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
} as const;

/** Form of a key file, by its first line. */
type KeyForm = keyof typeof NAMES;

/** The key in a form that SSH clients read, or the reason why it cannot be read. */
type ReadKey =
  | { readonly form: KeyForm; readonly key: string }
  | {
      readonly form: KeyForm;
      readonly problem: keyof typeof CODES;
    };

const FORMS: readonly (readonly [RegExp, KeyForm])[] = [
  [/^-----BEGIN OPENSSH PRIVATE KEY-----/, 'openssh'],
  [/^-----BEGIN (?:ENCRYPTED )?PRIVATE KEY-----/, 'pkcs8'],
  [/^-----BEGIN (?:RSA|DSA|EC) PRIVATE KEY-----/, 'pem'],
  [/^PuTTY-User-Key-File-\d+: /, 'putty'],
];
/** Rounds of bcrypt; `ssh-keygen` asks for 16 or 24, and common advice for up to 100. */
const MOST_ROUNDS = 128;
/** Iterations of PBKDF2; OpenSSL asks for 2048. */
const MOST_ITERATIONS = 200_000;
/** Product of the three costs of scrypt; OpenSSL asks for 2^17. */
const MOST_SCRYPT = 2 ** 20;
const SCRYPT = '1.3.6.1.4.1.11591.4.11';

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
  if ('problem' in read && read.problem !== 'costly') {
    const block = blockOf(text);
    if (block) read = await readForm(block, passphrase ?? '');
  }
  if ('key' in read) return read;
  if (read.form === 'unknown') return { problem: { code: 'not_private_key' } };
  return { problem: { code: CODES[read.problem], params: { form: NAMES[read.form] } } };
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
  if (form === 'openssh' && roundsOf(trimmed) > MOST_ROUNDS) return { form, problem: 'costly' };
  const parsed = parseKey(text, passphrase || undefined);
  if (!(parsed instanceof Error) && parsed.isPrivateKey()) return { form, key: text };
  const isClosed =
    form === 'openssh'
      ? roundsOf(trimmed) > 0
      : form === 'pem' && /^Proc-Type: 4,ENCRYPTED/m.test(trimmed);
  if (isClosed || form !== 'pem') return { form, problem: isClosed ? 'closed' : 'damaged' };
  try {
    return inSshForm(form, createPrivateKey(trimmed));
  } catch {
    return { form, problem: 'damaged' };
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
    return inSshForm('pkcs8', createPrivateKey({ key: text, passphrase }));
  } catch {
    return { form: 'pkcs8', problem: isEncrypted ? 'closed' : 'damaged' };
  }
}

function inSshForm(form: KeyForm, key: KeyObject): ReadKey {
  const written = toSshForm(key);
  // ssh2 knows fewer curves than OpenSSL.
  const isUsable = written !== undefined && !(parseKey(written) instanceof Error);
  return isUsable ? { form, key: written } : { form, problem: 'kind' };
}

const bodyOf = (text: string): Buffer =>
  Buffer.from(text.replace(/-----[^-]*-----/g, ''), 'base64');

/** Returns the rounds that open an OpenSSH key; 0 for one without a passphrase. */
function roundsOf(text: string): number {
  try {
    const reader = new WireReader(bodyOf(text));
    reader.bytes('openssh-key-v1\0'.length);
    const [, derivation] = [reader.string(), reader.string().toString()];
    if (derivation !== 'bcrypt') return 0;
    const options = new WireReader(reader.string());
    options.string();
    return options.number32();
  } catch {
    return 0;
  }
}

/** Returns true if the key derivation of an encrypted PKCS#8 key takes too much work. */
function isCostly(text: string): boolean {
  const bytes = bodyOf(text);
  const { result } = fromBER(bytes);
  const [algorithm] = result instanceof Sequence ? result.valueBlock.value : [];
  if (!(algorithm instanceof Sequence)) return false;
  const parts = flatten(algorithm);
  const numbers = parts.flatMap((part) =>
    part instanceof Integer ? [Number(part.toBigInt())] : [],
  );
  const isScrypt = parts.some(
    (part) => part instanceof ObjectIdentifier && part.valueBlock.toString() === SCRYPT,
  );
  return isScrypt
    ? numbers.slice(0, 3).reduce((product, number) => product * number, 1) > MOST_SCRYPT
    : numbers.some((number) => number > MOST_ITERATIONS);
}

const flatten = (sequence: Sequence): readonly unknown[] =>
  sequence.valueBlock.value.flatMap((part) => (part instanceof Sequence ? flatten(part) : [part]));

import { generateKeyPairSync } from 'node:crypto';
import { generateSshKeyPair, parseKey } from '@sallyport/ssh';
import { Integer, type Null, ObjectIdentifier, OctetString, Sequence } from 'asn1js';
import { describe, expect, it } from 'vitest';
import { readPrivateKey } from './read.ts';
import { ENCRYPTED_KEYS, ENCRYPTED_PASSPHRASE, UNREADABLE_KEYS } from './testing/encrypted-keys.ts';
import { PASSPHRASE, PUTTY_KEYS } from './testing/putty-keys.ts';

const problemOf = async (text: string, passphrase?: string) => {
  const read = await readPrivateKey(text, passphrase);
  return 'problem' in read ? [read.problem.code, read.problem.params?.form] : 'readable';
};

/** Returns the public key line of a readable private key. */
async function publicKeyOf(text: string, passphrase?: string): Promise<string> {
  const read = await readPrivateKey(text, passphrase);
  if ('problem' in read) throw new Error(read.problem.code);
  const parsed = parseKey(read.key);
  if (parsed instanceof Error) throw parsed;
  // It signs, too: both halves belong together.
  const signed = Buffer.from('a message');
  const signature = parsed.sign(signed);
  if (signature instanceof Error) throw signature;
  expect(parsed.verify(signed, signature)).toBe(true);
  return `${parsed.type} ${parsed.getPublicSSH().toString('base64')}`;
}

describe.each(PUTTY_KEYS)('the PuTTY file $name', ({ file, publicKey, isEncrypted }) => {
  it('opens to the key that puttygen shows', async () => {
    const passphrase = isEncrypted ? PASSPHRASE : undefined;
    expect(await publicKeyOf(file, passphrase)).toBe(publicKey);
    // Windows ends its lines otherwise.
    expect(await publicKeyOf(file.replaceAll('\n', '\r\n'), passphrase)).toBe(publicKey);
  });

  it('names its form when the passphrase is wrong or the file was changed', async () => {
    const wrong = isEncrypted ? 'private_key_closed' : 'private_key_damaged';
    if (isEncrypted) {
      expect(await problemOf(file, 'another')).toEqual(['private_key_closed', 'PuTTY']);
      expect(await problemOf(file)).toEqual(['private_key_closed', 'PuTTY']);
    }
    const renamed = file.replace(/^Comment: .*$/m, 'Comment: another');
    expect(await problemOf(renamed, PASSPHRASE)).toEqual([wrong, 'PuTTY']);
    expect(await problemOf(file.slice(0, 120))).toEqual(['private_key_damaged', 'PuTTY']);
  });
});

const KINDS = [
  ['rsa', () => generateKeyPairSync('rsa', { modulusLength: 2048 })],
  ['ec P-256', () => generateKeyPairSync('ec', { namedCurve: 'P-256' })],
  ['ec P-521', () => generateKeyPairSync('ec', { namedCurve: 'P-521' })],
  ['ed25519', () => generateKeyPairSync('ed25519')],
] as const;

it.each(KINDS)('reads a PKCS#8 key of %s, open and with a passphrase', async (_name, generate) => {
  const { privateKey } = generate();
  const open = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const closed = String(
    privateKey.export({
      ...{ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'of the key' },
    }),
  );
  const line = await publicKeyOf(open);
  expect(await publicKeyOf(closed, 'of the key')).toBe(line);
  // A passphrase that the key does not need is no fault: the account has a password as well.
  expect(await publicKeyOf(open, 'unneeded')).toBe(line);
  expect(await problemOf(closed, 'another')).toEqual(['private_key_closed', 'PKCS#8']);
  expect(await problemOf(closed)).toEqual(['private_key_closed', 'PKCS#8']);
});

it.each(ENCRYPTED_KEYS)('opens a key of $name', async ({ name, file, publicKey }) => {
  expect(await publicKeyOf(file, ENCRYPTED_PASSPHRASE)).toBe(publicKey);
  const indented = file.replaceAll(/^/gm, '  ').replaceAll('\n', '\r\n');
  expect(await publicKeyOf(`a key\n${indented}`, ENCRYPTED_PASSPHRASE)).toBe(publicKey);
  const [form] = name.split(' ');
  expect(await problemOf(file, 'another')).toEqual(['private_key_closed', form]);
  expect(await problemOf(file)).toEqual(['private_key_closed', form]);
});

it.each(UNREADABLE_KEYS)('names $cipher of a $form key that it cannot open', async (key) => {
  for (const passphrase of [ENCRYPTED_PASSPHRASE, 'another', undefined]) {
    const read = await readPrivateKey(key.file, passphrase);
    const params = { form: key.form, cipher: key.cipher };
    expect(read).toEqual({ problem: { code: 'private_key_cipher', params } });
  }
});

it('names the cipher of an OpenSSH key, and keys of security devices', async () => {
  const [{ file }] = ENCRYPTED_KEYS;
  const changed = (from: string, to: string) => {
    const bytes = Buffer.from(file.replaceAll(/-----[^-]*-----/g, ''), 'base64');
    const text = Buffer.from(bytes.toString('latin1').replaceAll(from, to), 'latin1');
    const [first, last] = ['BEGIN', 'END'].map((edge) => `-----${edge} OPENSSH PRIVATE KEY-----`);
    return `${first}\n${text.toString('base64')}\n${last}\n`;
  };
  const other = changed('chacha20-poly1305@openssh.com', 'chacha30-poly1305<b>enssh.com');
  expect(await readPrivateKey(other, ENCRYPTED_PASSPHRASE)).toEqual({
    problem: {
      code: 'private_key_cipher',
      params: { form: 'OpenSSH', cipher: 'chacha30-poly1305benssh.com' },
    },
  });
  const device = changed('ssh-ed25519', 'sk-ed-25519');
  expect(await readPrivateKey(device, ENCRYPTED_PASSPHRASE)).toEqual({
    problem: { code: 'private_key_kind', params: { form: 'OpenSSH', kind: 'sk-ed-25519' } },
  });
});

it.each([
  ['DSA', () => generateKeyPairSync('dsa', { modulusLength: 1024, divisorLength: 160 })],
  ['RSA-PSS', () => generateKeyPairSync('rsa-pss', { modulusLength: 2048 })],
  ['ED448', () => generateKeyPairSync('ed448')],
  ['X25519', () => generateKeyPairSync('x25519')],
  ['ECDSA secp256k1', () => generateKeyPairSync('ec', { namedCurve: 'secp256k1' })],
] as const)('names the kind %s of a PKCS#8 key that is not supported', async (kind, generate) => {
  const { privateKey } = generate();
  const form = { type: 'pkcs8', format: 'pem' } as const;
  const closed = { ...form, cipher: 'aes-256-cbc', passphrase: 'of the key' };
  const problem = { code: 'private_key_kind', params: { form: 'PKCS#8', kind } };
  expect(await readPrivateKey(String(privateKey.export(form)), undefined)).toEqual({ problem });
  const read = await readPrivateKey(String(privateKey.export(closed)), 'of the key');
  expect(read).toEqual({ problem });
});

it('keeps OpenSSH and PEM files as they are', async () => {
  const { private: openSsh } = generateSshKeyPair('kept');
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = String(privateKey.export({ type: 'pkcs1', format: 'pem' }));
  expect(await readPrivateKey(openSsh, 'unneeded')).toMatchObject({ key: openSsh });
  expect(await readPrivateKey(pem, undefined)).toMatchObject({ key: pem });
  const closed = String(
    privateKey.export({
      ...{ type: 'pkcs1', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'of the key' },
    }),
  );
  expect(await readPrivateKey(closed, 'of the key')).toMatchObject({ key: closed });
  expect(await problemOf(closed, 'another')).toEqual(['private_key_closed', 'PEM']);
});

describe('text around a key and changed line breaks', () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = (type: 'pkcs1' | 'pkcs8', passphrase?: string) =>
    String(
      passphrase
        ? privateKey.export({ type, format: 'pem', cipher: 'aes-256-cbc', passphrase })
        : privateKey.export({ type, format: 'pem' }),
    );
  const forms: readonly (readonly [string, string, string?])[] = [
    ['OpenSSH', generateSshKeyPair('test').private],
    ['PKCS#8', pem('pkcs8')],
    ['PKCS#8 with a passphrase', pem('pkcs8', 'of the key'), 'of the key'],
    ['PEM', pem('pkcs1')],
    ['PEM with a passphrase', pem('pkcs1', 'of the key'), 'of the key'],
  ];
  const CERTIFICATE = '-----BEGIN CERTIFICATE-----\nMAAA\n-----END CERTIFICATE-----\n';
  const around: readonly (readonly [string, (text: string) => string])[] = [
    ['attributes of openssl pkcs12', (text) => `Bag Attributes\n    friendlyName: a\n${text}`],
    ['a certificate before it', (text) => CERTIFICATE + text],
    ['a certificate after it', (text) => text + CERTIFICATE],
    ['a public key after it', (text) => `${text}ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA a@b\n`],
    [
      'parameters of openssl ecparam',
      (text) =>
        `-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n${text}`,
    ],
    ['a byte order mark', (text) => `\uFEFF${text}`],
    ['line ends of Windows', (text) => text.replaceAll('\n', '\r\n')],
    ['indented lines', (text) => text.replaceAll(/^/gm, '    ')],
    ['spaces after its lines', (text) => text.replaceAll('\n', ' \n')],
    ['line breaks written as \\n', (text) => text.replaceAll('\n', '\\n')],
  ];
  it.each(around)('reads a key with %s', async (_name, change) => {
    for (const [name, text, passphrase] of forms) {
      const read = await readPrivateKey(change(text), passphrase);
      expect('key' in read, name).toBe(true);
      const [expected, actual] = [text, 'key' in read ? read.key : ''].map((key) => {
        const parsed = parseKey(key, passphrase);
        return parsed instanceof Error ? parsed.message : parsed.getPublicSSH().toString('hex');
      });
      if (!name.startsWith('PKCS#8')) expect(actual).toBe(expected);
    }
  });

  it('reads a key on one line, unless it has headers', async () => {
    for (const [name, text, passphrase] of forms.slice(0, 4))
      for (const gap of ['', ' ']) {
        const read = await readPrivateKey(text.trim().replaceAll('\n', gap), passphrase);
        expect('key' in read, name).toBe(true);
      }
  });

  it('rejects damaged keys and texts without a private key', async () => {
    const damaged = forms[0]?.[1].replace(/\n.{20}/, '\n') ?? '';
    expect(await problemOf(`of mine\n${damaged}`)).toEqual(['private_key_damaged', 'OpenSSH']);
    expect(await problemOf(damaged.replace(/-----END.*/s, ''))).toEqual([
      'private_key_damaged',
      'OpenSSH',
    ]);
    expect(await problemOf(CERTIFICATE)).toEqual(['not_private_key', undefined]);
    const { privateKey: other } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
    expect(await problemOf(String(other.export({ type: 'sec1', format: 'pem' })))).toEqual([
      'private_key_kind',
      'PEM',
    ]);
  });
});

it('names forms and kinds that are not supported', async () => {
  expect(await problemOf('ssh-ed25519 AAAA')).toEqual(['not_private_key', undefined]);
  expect(await problemOf('')).toEqual(['not_private_key', undefined]);
  const { privateKey } = generateKeyPairSync('x25519');
  const other = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
  expect(await problemOf(other)).toEqual(['private_key_kind', 'PKCS#8']);
  const broken = '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n';
  expect(await problemOf(broken)).toEqual(['private_key_damaged', 'PKCS#8']);
});

/** An encrypted key whose derivation asks for this work. */
function closedWith(kdf: string, ...costs: readonly number[]): string {
  const algorithm = (oid: string, ...parts: (Integer | OctetString | Sequence | Null)[]) =>
    new Sequence({ value: [new ObjectIdentifier({ value: oid }), ...parts] });
  const bytes = new OctetString({ valueHex: Buffer.alloc(16) });
  const derivation = new Sequence({
    value: [bytes, ...costs.map((value) => new Integer({ value }))],
  });
  const cipher = algorithm('2.16.840.1.101.3.4.1.42', bytes);
  const key = new Sequence({
    value: [
      algorithm(
        '1.2.840.113549.1.5.13',
        new Sequence({ value: [algorithm(kdf, derivation), cipher] }),
      ),
      bytes,
    ],
  });
  const body = Buffer.from(key.toBER()).toString('base64');
  return `-----BEGIN ENCRYPTED PRIVATE KEY-----\n${body}\n-----END ENCRYPTED PRIVATE KEY-----\n`;
}

it('refuses keys that would take much work to open', async () => {
  const [pbkdf2, scrypt] = ['1.2.840.113549.1.5.12', '1.3.6.1.4.1.11591.4.11'];
  expect(await problemOf(closedWith(pbkdf2, 2048), 'x')).toEqual(['private_key_closed', 'PKCS#8']);
  expect(await problemOf(closedWith(pbkdf2, 2_000_000_000), 'x')).toEqual([
    'private_key_costly',
    'PKCS#8',
  ]);
  expect(await problemOf(closedWith(scrypt, 16_384, 8, 4_096), 'x')).toEqual([
    'private_key_costly',
    'PKCS#8',
  ]);
  const [{ file }] = PUTTY_KEYS as [(typeof PUTTY_KEYS)[number]];
  for (const change of ['Memory: 9999999', 'Passes: 9999999', 'Parallelism: 9999'])
    expect(
      await problemOf(file.replace(new RegExp(`${change.split(' ')[0]} \\d+`), change), PASSPHRASE),
    ).toEqual(['private_key_costly', 'PuTTY']);
  // bcrypt with 2^24 rounds: the number follows the salt.
  const head = Buffer.concat(
    [
      'openssh-key-v1\0',
      '\0\0\0\naes256-ctr',
      '\0\0\0\u0006bcrypt',
      '\0\0\0\u0018\0\0\0\u0010',
    ].map((part) => Buffer.from(part, 'latin1')),
  );
  const key = Buffer.from('\0\0\0\u0001\0\0\0\u000f\0\0\0\u000bssh-ed25519\0\0\0\0', 'latin1');
  const rounds = Buffer.concat([head, Buffer.alloc(16), Buffer.from([1, 0, 0, 0]), key]);
  expect(
    await problemOf(
      `-----BEGIN OPENSSH PRIVATE KEY-----\n${rounds.toString('base64')}\n-----END OPENSSH PRIVATE KEY-----\n`,
      'x',
    ),
  ).toEqual(['private_key_costly', 'OpenSSH']);
});

import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client, Json } from '../../testing/client.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

let test: TestProgram;
let admin: Client;
let domain: string;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
  domain = String((await admin.post<Json>('assets/domains/', { name: 'branch' })).body.id);
});
afterAll(() => test.stop());

const { privateKey } = generateKeyPairSync('ed25519');
const open = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
const closed = String(
  privateKey.export({
    ...{ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'of the key' },
  }),
);

const FORMS: readonly (readonly [string, () => Json])[] = [
  ['assets/system-users/', () => ({ name: 'deploy', username: 'deploy', auto_push: false })],
  ['assets/admin-users/', () => ({ name: 'root', username: 'root' })],
  [
    'assets/gateways/',
    () => ({ name: 'gw', ip: '192.0.2.1', port: 22, username: 'gw', protocol: 'ssh', domain }),
  ],
];

it.each(FORMS)(
  'takes a PKCS#8 key at %s, and explains one that does not open',
  async (path, of) => {
    const refused = await admin.post(path, { ...of(), private_key: closed, password: 'another' });
    expect([refused.status, refused.body]).toEqual([
      400,
      {
        private_key: [
          'The password does not open this key (PKCS#8). Enter the passphrase of the key as the password.',
        ],
      },
    ]);
    const chinese = await admin
      .with({ 'accept-language': 'zh' })
      .post(path, { ...of(), private_key: 'not a key' });
    expect(chinese.body).toEqual({
      private_key: ['这不是私钥。可使用 OpenSSH、PEM、PKCS#8 或 PuTTY（.ppk）格式的文件。'],
    });
    const created = await admin.post<Json>(path, { ...of(), private_key: open });
    expect(created.status, created.text).toBe(201);
    const changed = await admin.patch(`${path}${created.body.id}/`, {
      private_key: closed,
      password: 'of the key',
    });
    expect(changed.status, changed.text).toBe(200);
  },
);

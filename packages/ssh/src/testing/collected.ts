// Runs as a separate process of ssh2.test.ts. Creates the ciphers of our connections, drops them,
// and fills the heap so that V8 collects them. With ssh2's native ciphers the process aborts here.
// `node collected.ts PACKAGES` loads ssh2 from another folder.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { refuseNative } from '../ciphers.ts';
import { CIPHERS } from '../ssh2.ts';

interface CipherInfo {
  readonly keyLen: number;
  readonly ivLen: number;
}

interface CipherModule {
  readonly bindingAvailable: boolean;
  readonly init: Promise<void>;
  readonly CIPHER_INFO: Readonly<Record<string, CipherInfo>>;
  readonly MAC_INFO: Readonly<Record<string, unknown>>;
  createCipher(config: unknown): object;
  createDecipher(config: unknown): object;
}

const CIPHERS_OF_EACH_KIND = 50;

refuseNative();
const folder = process.argv[2];
const load = createRequire(folder === undefined ? import.meta.url : join(folder, 'from-here.js'));
const crypto = load('ssh2/lib/protocol/crypto.js') as CipherModule;
await crypto.init;

function makeAndDrop(name: string): void {
  const info = crypto.CIPHER_INFO[name];
  if (!info) throw new Error(`ssh2 does not know ${name}`);
  const key = Buffer.alloc(info.keyLen);
  const iv = Buffer.alloc(info.ivLen);
  const mac = { macInfo: crypto.MAC_INFO['hmac-sha2-256'], macKey: Buffer.alloc(32), seqno: 0 };
  const ignore = () => undefined;
  crypto.createCipher({
    outbound: { ...mac, cipherInfo: info, cipherKey: key, cipherIV: iv, onWrite: ignore },
  });
  crypto.createDecipher({
    inbound: { ...mac, decipherInfo: info, decipherKey: key, decipherIV: iv, onPayload: ignore },
  });
}

for (const name of CIPHERS)
  for (let turn = 0; turn < CIPHERS_OF_EACH_KIND; turn++) makeAndDrop(name);
for (let round = 0; round < 3; round++) {
  await sleep(20);
  const kept: object[] = [];
  for (let turn = 0; turn < 3_000_000; turn++) kept[turn % 10] = { turn };
}
process.stdout.write(`native: ${crypto.bindingAvailable}\n`);

#!/usr/bin/env node
// node verify.mjs FILE --ca=CA.pem: proves a file of `evidence export` without a server, a network
// or packages. Take this folder and the CA file from a place that an attacker cannot write.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { verifyEvidence } from './evidence.mjs';

const VERDICTS = {
  proven: [0, 'Everything is proven.'],
  changed: [2, 'NOT proven: something was changed or is missing.'],
  partly: [3, 'Unchanged as far as a witness proves it.'],
};
const LABELS = { about: '', proof: '', gap: 'NOT PROVEN: ' };

async function main([file, option = '']) {
  if (!file || !option.startsWith('--ca='))
    throw new Error('Usage: node verify.mjs FILE --ca=CA.pem');
  const handle = await open(file);
  const { size } = await handle.stat();
  const read = async (from, to) => {
    const bytes = new Uint8Array(to - from);
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, from);
    return bytes.subarray(0, bytesRead);
  };
  const source = { size, read, createHash: () => createHash('sha256') };
  const pem = readFileSync(option.slice('--ca='.length), 'utf8');
  const { verdict, findings } = await verifyEvidence(source, pem);
  const [status, last] = VERDICTS[verdict];
  // The file may contain sequences for the terminal.
  for (const { kind, english } of findings)
    process.stdout.write(
      `${LABELS[kind] ?? `CHANGED (${kind}): `}${english.replace(/\p{C}/gu, '?')}\n`,
    );
  process.stdout.write(`${last}\n`);
  return status;
}

main(process.argv.slice(2)).then(
  (status) => process.exit(status),
  (error) => {
    process.stderr.write(`The evidence cannot be read: ${error.message.replace(/\p{C}/gu, '?')}\n`);
    process.exit(1);
  },
);

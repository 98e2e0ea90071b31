#!/usr/bin/env node
// node verify.mjs FILE --ca=CA.pem: proves a file of `evidence export` without a server, a network
// or packages. Take this folder and the CA file from a place that an attacker cannot write. Without
// --ca it only proves that the content of the file is consistent.
import { createHash } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { verifyEvidence } from './evidence.mjs';

// Needed for the mode of national cryptography, and for digests of an early version, only.
const national = await import('./national.mjs').catch(() => undefined);
const declared = await import('./declared.mjs').catch(() => undefined);

const VERDICTS = {
  proven: [0, 'Everything is proven.'],
  changed: [2, 'NOT proven: something was changed or is missing.'],
  partly: [3, 'Unchanged as far as a witness proves it.'],
};
const LABELS = { about: '', proof: '', gap: 'NOT PROVEN: ', declared: 'PARTLY PROVEN: ' };

/** The file may contain sequences for the terminal. */
const visible = (sentence) => sentence.replace(/\p{C}/gu, '?');

async function main(args) {
  const options = { ca: { type: 'string' } };
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  if (!positionals[0]) throw new Error('Usage: node verify.mjs FILE --ca=CA.pem');
  const authorities = values.ca && (await readFile(values.ca, 'utf8'));
  const handle = await open(positionals[0]);
  const { size } = await handle.stat();
  const read = async (from, to) => {
    const { buffer, bytesRead } = await handle.read(new Uint8Array(to - from), { position: from });
    return buffer.subarray(0, bytesRead);
  };
  const source = { size, read, createHash: () => createHash('sha256'), national, declared };
  const { verdict, findings } = await verifyEvidence(source, authorities);
  await handle.close();
  const [status, last] = VERDICTS[verdict];
  for (const { kind, sentence } of findings)
    process.stdout.write(`${LABELS[kind] ?? `CHANGED (${kind}): `}${visible(sentence)}\n`);
  process.stdout.write(`${last}\n`);
  return status;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`The evidence cannot be verified: ${visible(error.message)}\n`);
  process.exitCode = 1;
}

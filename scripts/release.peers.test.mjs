import { spawnSync } from 'node:child_process';
import { createPrivateKey } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { imageOf } from '../packaging/build/image.mjs';
import { writeSums } from '../packaging/build/package.mjs';
import { requirePeers } from '../server/src/testing/peers.ts';

requirePeers('openssl', 'skopeo');

let folder;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-release-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs a program in the folder. Returns its status and output. */
function run(command, input) {
  const [program, ...words] = command.split(' ');
  const { status, stdout } = spawnSync(program, words, { cwd: folder, input, encoding: 'utf8' });
  return { status, output: stdout.trim() };
}

it('verifies sums and signature with the commands of the operator guide', () => {
  writeFileSync(join(folder, 'sallyport.tar.gz'), 'program');
  const pem = run('openssl genpkey -algorithm ed25519').output;
  const publicKey = run('openssl pkey -pubout', pem).output;
  writeFileSync(join(folder, 'release.pub'), publicKey);
  writeSums(folder, ['sallyport.tar.gz'], createPrivateKey(pem));
  const check =
    'openssl pkeyutl -verify -pubin -inkey release.pub -rawin -in SHA256SUMS -sigfile SHA256SUMS.sig';
  expect(run(check)).toEqual({ status: 0, output: 'Signature Verified Successfully' });
  expect(run('sha256sum --check SHA256SUMS')).toEqual({
    status: 0,
    output: 'sallyport.tar.gz: OK',
  });
  writeFileSync(join(folder, 'sallyport.tar.gz'), 'another');
  expect(run('sha256sum --check SHA256SUMS').status).toBe(1);
  writeSums(folder, ['sallyport.tar.gz']);
  expect(run(check).status).toBe(1);
});

it('makes an image that skopeo reads and copies', () => {
  mkdirSync(join(folder, 'tree'));
  writeFileSync(join(folder, 'tree/sallyport'), '#!/bin/sh');
  const image = imageOf(join(folder, 'tree'), join(folder, 'work'), {
    name: '2.1.0',
    version: '2.1.0',
    commit: '1114d68fae21',
    epoch: 1_700_000_000,
    architecture: 'amd64',
    fillBase: (base) => writeFileSync(join(base, 'libc.so.6'), 'library'),
  });
  writeFileSync(join(folder, 'image.tar'), image);
  const facts = JSON.parse(run('skopeo inspect oci-archive:image.tar').output);
  expect(facts).toMatchObject({
    Architecture: 'amd64',
    Os: 'linux',
    Created: '2023-11-14T22:13:20Z',
    Labels: { 'org.opencontainers.image.version': '2.1.0' },
  });
  expect(run('skopeo copy --insecure-policy oci-archive:image.tar dir:copy').status).toBe(0);
});

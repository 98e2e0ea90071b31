import { randomBytes, randomUUID } from 'node:crypto';
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createVault, directKey } from '../../platform/crypto/vault.ts';
import { openLocalRecordings } from '../../platform/storage/local-storage.ts';
import { recordingFiles } from '../../platform/storage/testing/recording-files.ts';
import { BlockWriter } from '../sessions/desktop/recorder/block-writer.ts';
import { recoverRecordings } from './recovery.ts';

const { files } = createVault(directKey(randomBytes(32)));
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const HEADER = '{"version": 1}\n';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sallyport-desktop-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it('recovers the whole blocks of an encrypted desktop recording', async () => {
  const recordings = await openLocalRecordings(folder, files);
  recordings.sealWhile(() => true);
  const session = { id: randomUUID(), startedAt: new Date('2026-03-04T05:06:07Z') };
  const running = await recordings.begin({ ...session, kind: 'desktop' }, HEADER);
  const plain: Buffer[] = [Buffer.from(HEADER)];
  const writer = new BlockWriter(
    {
      ...running,
      async append(block, length) {
        plain.push(Buffer.from(block.subarray(0, length)));
        await running.append(block, length);
      },
    },
    HEADER.length,
    { onFailure: () => undefined, onDrain: () => undefined },
  );
  for (let picture = 0; picture < 8; picture++)
    writer.add(1, picture * 100, randomBytes(1_500_000));
  await writer.end();
  // A crash tore the last write.
  const { running: path } = recordingFiles(folder, session, 'desktop');
  await appendFile(path, Buffer.from([200, 0, 0, 0, 7, 7]));

  const restarted = await openLocalRecordings(folder, files);
  restarted.sealWhile(() => true);
  expect(await recoverRecordings(restarted, log)).toMatchObject([
    { sessionId: session.id, state: 'recovered' },
  ]);
  const object = await restarted.open(session);
  expect(object && (await buffer(object.stream)).equals(Buffer.concat(plain))).toBe(true);
});

import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createVault, directKey } from '../../crypto/vault.ts';
import { openLocalRecordings, openLocalStorage } from '../local-storage.ts';
import { finishedKey, type Recordings, runningKey } from '../recordings.ts';
import { recordingFiles } from '../testing/recording-files.ts';
import { growAgain } from './grow-again.ts';

const { files } = createVault(directKey(randomBytes(32)));
const session = { id: randomUUID(), startedAt: new Date('2026-03-04T05:06:07Z') };
const TEXT = '{"version": 2}\n'.repeat(20_000);

let folder: string;
let recordings: Recordings;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sallyport-sealed-'));
  recordings = await openLocalRecordings(folder, files);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it.each([true, false])('gives a recording its form of a running one (sealed: %s)', async (isOn) => {
  recordings.sealWhile(() => isOn);
  await recordings.add(session, TEXT);
  const running = runningKey(session);
  const options = { finished: finishedKey(running), running, files };
  const storage = await openLocalStorage(folder);
  const grown = await growAgain(storage, options);
  const bytes = grown ? await buffer(grown) : Buffer.alloc(0);
  expect(bytes.includes('version')).toBe(!isOn);

  await writeFile(recordingFiles(folder, session).running, bytes);
  await recordings.remove(session);
  const [left] = await recordings.unfinished();
  expect([left?.size, (await left?.tail(15))?.toString()]).toEqual([
    TEXT.length,
    '{"version": 2}\n',
  ]);
  await left?.keep(TEXT.length);
  const object = await recordings.open(session);
  expect(object && gunzipSync(await buffer(object.stream)).toString()).toBe(TEXT);
  const stored = await readFile(recordingFiles(folder, session).finished);
  expect(stored.subarray(0, 7).toString() === 'SPSEAL1').toBe(isOn);
});

it('reports a recording that does not exist', async () => {
  const running = runningKey(session);
  const options = { finished: finishedKey(running), running, files };
  expect(await growAgain(await openLocalStorage(folder), options)).toBeUndefined();
});

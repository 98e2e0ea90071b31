import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type pg from 'pg';
import { StartError } from '../../config.ts';
import { processOf } from '../../features/servers/index.ts';
import type { Sealer } from '../../platform/crypto/vault.ts';
import { openLocalStorage } from '../../platform/storage/local-storage.ts';
import { finishedKey, recordingKindOf, runningKey } from '../../platform/storage/recordings.ts';
import { growAgain } from '../../platform/storage/sealed/grow-again.ts';
import { keepFile } from './files.ts';
import { type KeptFile, RECORDINGS, RECORDINGS_INDEX, type RecordingsSummary } from './manifest.ts';

export interface IndexedRecording {
  readonly session: string;
  /** Path below the folder of recordings. */
  readonly key: string;
  readonly place: 'copied' | 'left' | 'bucket' | 'server' | 'missing';
  readonly bytes?: number;
  readonly sha256?: string;
}

interface Recorded {
  readonly id: string;
  readonly start: Date;
  readonly isFinished: boolean;
  readonly isMoved: boolean;
  readonly holder: string | null;
  readonly protocol: string;
}

const BATCH = 500;
/** Paths of recordings below their folder. */
export const RECORDING_KEY =
  /^\d{4}-\d{2}-\d{2}\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.(?:cast(?:\.gz)?|desktop(?:\.z)?)$/;

const isMissing = (error: unknown) =>
  ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');

/** Yields the sessions of the snapshot that have a recording, oldest first. */
async function* recordedSessions(client: Pick<pg.ClientBase, 'query'>): AsyncIterable<Recorded> {
  await client.query(`declare recorded no scroll cursor for
    select id, date_start as start, replay_state <> 'recording' as "isFinished",
      replay_storage is not null as "isMoved", holder, protocol
    from session where replay_state in ('recording', 'finished', 'recovered')
    order by date_start, id`);
  for (;;) {
    const { rows } = await client.query<Recorded>(`fetch ${BATCH} from recorded`);
    if (rows.length === 0) break;
    yield* rows;
  }
  await client.query('close recorded');
}

export interface RecordingsOptions {
  /** Folder of the backup. */
  readonly folder: string;
  /** Folder of the server's recordings. */
  readonly source: string;
  /** Holder name of this server. */
  readonly holder: string;
  /** Copies files; otherwise only lists them. */
  readonly copies: boolean;
  /** Opens the keys of sealed recordings. */
  readonly files: Sealer;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Writes the index of recordings and, if requested, copies those on this server's disk. A live
 * session is copied up to this moment.
 */
export async function keepRecordings(
  client: Pick<pg.ClientBase, 'query'>,
  { folder, source, holder, copies, files, signal }: RecordingsOptions,
): Promise<RecordingsSummary> {
  const counts = { copied: 0, left: 0, bucket: 0, server: 0, missing: 0 };
  let bytes = 0;
  const keep = async (
    key: string,
    content: AsyncIterable<Uint8Array>,
  ): Promise<Partial<KeptFile>> => {
    const { bytes: size, sha256 } = await keepFile(folder, join(RECORDINGS, key), content, {
      signal,
    });
    bytes += size;
    return { bytes: size, sha256 };
  };
  /** Opens the recording of a session that was live at the snapshot: growing, or finished since. */
  const grown = async (key: string): Promise<AsyncIterable<Uint8Array> | undefined> => {
    try {
      const { size } = await stat(join(source, key));
      return size === 0
        ? Readable.from([])
        : createReadStream(join(source, key), { end: size - 1 });
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    return growAgain(await openLocalStorage(source), {
      finished: finishedKey(key),
      running: key,
      files,
    });
  };
  const look = async ({
    id,
    start,
    isFinished,
    isMoved,
    holder: owner,
    protocol,
  }: Recorded): Promise<IndexedRecording> => {
    const running = runningKey({ id, startedAt: start }, recordingKindOf(protocol));
    const key = isFinished ? finishedKey(running) : running;
    if (isMoved) return { session: id, key, place: 'bucket' };
    const path = join(source, key);
    try {
      if (!isFinished) {
        const content = copies ? await grown(running) : undefined;
        if (content) return { session: id, key, place: 'copied', ...(await keep(key, content)) };
      } else {
        const { size } = await stat(path);
        if (!copies) return { session: id, key, place: 'left', bytes: size };
        return { session: id, key, place: 'copied', ...(await keep(key, createReadStream(path))) };
      }
    } catch (error) {
      // Retention or an upload to a bucket may remove the file meanwhile.
      if (!isMissing(error)) throw error;
    }
    if (owner !== null && processOf(owner).server !== holder)
      return { session: id, key, place: 'server' };
    return { session: id, key, place: !copies && !isFinished ? 'left' : 'missing' };
  };
  async function* lines() {
    for await (const recorded of recordedSessions(client)) {
      signal?.throwIfAborted();
      const line = await look(recorded);
      counts[line.place] += 1;
      yield `${JSON.stringify(line)}\n`;
    }
  }
  const index = await keepFile(folder, RECORDINGS_INDEX, lines(), { compress: true });
  const { copied, left, bucket, server, missing } = counts;
  return { index, included: copies, copied, bytes, left, elsewhere: bucket + server, missing };
}

/**
 * Yields the recordings whose files the backup contains. @throws StartError for a malformed index
 */
export async function* copiedRecordings(
  folder: string,
): AsyncIterable<KeptFile & { readonly key: string }> {
  const lines = createInterface({
    input: createReadStream(join(folder, RECORDINGS_INDEX)).pipe(createGunzip()),
    crlfDelay: Number.POSITIVE_INFINITY,
  });
  for await (const line of lines) {
    const { key, place, bytes, sha256 } = JSON.parse(line) as IndexedRecording;
    if (place !== 'copied') continue;
    if (!RECORDING_KEY.test(key) || bytes === undefined || sha256 === undefined)
      throw new StartError(`${RECORDINGS_INDEX} has a line that no backup has.`);
    yield { key, file: join(RECORDINGS, key), bytes, sha256 };
  }
}

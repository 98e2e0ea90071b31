import { createReadStream } from 'node:fs';
import { opendir, open as openFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type Config, StartError } from '../../../config.ts';
import { serverIdOf } from '../../../features/servers/index.ts';
import {
  type ImportedWithoutReplay,
  importedWithoutReplay,
  markImportedReplay,
} from '../../../features/sessions/index.ts';
import type { Db } from '../../../platform/db/database.ts';
import type { SettingsService } from '../../../platform/settings/service.ts';
import {
  type Recordings,
  recordingKindOf,
  StorageError,
} from '../../../platform/storage/recordings.ts';
import { castOfReplay } from './cast-of-replay.ts';
import { replayEvents, UnreadableReplay } from './replay-events.ts';

/** Name of a recording: the id of its session, and one of the endings of JumpServer. */
const REPLAY = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.(?:replay|cast)(?:\.gz)?$/i;
/** Folders below the named one: it has one for each day. */
const DEPTH = 3;
/** Bytes of the longest recording, unpacked. */
const MOST_BYTES = 2 * 1024 ** 3;
const MEBIBYTE = 1024 * 1024;
const GZIP = Buffer.from([0x1f, 0x8b]);

export interface ReplayImport {
  readonly config: Config;
  readonly db: Db;
  readonly recordings: Recordings;
  readonly settings: Pick<SettingsService, 'get'>;
  readonly isDry: boolean;
  readonly say: (line: string) => void;
}

interface ReplayFile {
  readonly path: string;
  readonly id: string;
}

/** Yields the files below a folder that have the name of a recording. @throws StartError */
async function* replaysBelow(folder: string, depth = DEPTH): AsyncGenerator<ReplayFile> {
  const entries = await opendir(folder).catch((error: NodeJS.ErrnoException) => {
    throw new StartError(`${folder} cannot be read: ${error.code ?? error.message}`);
  });
  for await (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && depth > 0) yield* replaysBelow(path, depth - 1);
    const [, id] = (entry.isFile() && REPLAY.exec(entry.name)) || [];
    if (id !== undefined) yield { path, id: id.toLowerCase() };
  }
}

async function isGzip(path: string): Promise<boolean> {
  const file = await openFile(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return bytesRead === 2 && buffer.equals(GZIP);
  } finally {
    await file.close();
  }
}

/** Reads a file as text, unpacked. @throws UnreadableReplay */
async function* textOf(path: string): AsyncGenerator<string> {
  const isPacked = await isGzip(path);
  const file = createReadStream(path);
  const bytes: Readable = isPacked ? pipeline(file, createGunzip(), () => {}) : file;
  const decoder = new TextDecoder();
  let size = 0;
  try {
    for await (const chunk of bytes as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MOST_BYTES) throw new UnreadableReplay('is larger than 2 GiB');
      yield decoder.decode(chunk, { stream: true });
    }
  } catch (error) {
    // The beginning of a recording that was cut is no recording of the session.
    if (String((error as NodeJS.ErrnoException).code).startsWith('Z_'))
      throw new UnreadableReplay('is damaged');
    throw error;
  } finally {
    file.destroy();
  }
}

/** Stores the recording of an imported session. @throws UnreadableReplay, StorageError */
async function keep(
  { path, id }: ReplayFile,
  session: ImportedWithoutReplay,
  context: ReplayImport,
) {
  const { recordings, settings, db, config } = context;
  const recorded = { id, startedAt: session.date_start };
  await recordings.add(
    recorded,
    castOfReplay(replayEvents(textOf(path)), {
      startedAt: session.date_start,
      title: session.asset,
      isMasked: settings.get('SECURITY_MASK_SECRETS'),
    }),
  );
  await markImportedReplay(db, { session: id, holder: serverIdOf(config) });
}

/** @throws StartError when the disk has too little space for sessions to come */
async function assertSpace({ recordings, settings }: ReplayImport): Promise<void> {
  const reserve = settings.get('TERMINAL_RECORDING_DISK_RESERVE') * MEBIBYTE;
  if ((await recordings.freeBytes()) > reserve + MOST_KEPT) return;
  throw new StartError(
    'The disk of the recordings has no space above its reserve. The recordings so far are imported; the same command continues.',
  );
}

/** Bytes that a recording of the maximum size may take. */
const MOST_KEPT = 256 * MEBIBYTE;

/**
 * Copies recordings of imported sessions from the folder of JumpServer. Sessions that have one
 * stay as they are, so a later call continues. Returns true if something is new.
 * @throws StartError
 */
export async function importReplays(folder: string, context: ReplayImport): Promise<boolean> {
  const { db, isDry, say } = context;
  const left = new Map<string, number>();
  let kept = 0;
  for await (const file of replaysBelow(folder)) {
    const session = await importedWithoutReplay(db, file.id);
    const reason = await reasonAgainst(file, session, context);
    if (reason === undefined) kept += 1;
    else left.set(reason, (left.get(reason) ?? 0) + 1);
  }
  for (const [reason, number] of left) say(`note replay: left out because it ${reason}: ${number}`);
  say(`recordings  ${kept} ${isDry ? 'to copy' : 'copied'}`);
  return kept > 0;
}

/** Imports a file, unless this is a plan. Returns the reason why it is left out. */
async function reasonAgainst(
  file: ReplayFile,
  session: ImportedWithoutReplay | 'present' | undefined,
  context: ReplayImport,
): Promise<string | undefined> {
  if (session === undefined) return 'belongs to no imported session';
  if (session === 'present') return 'is here already';
  if (recordingKindOf(session.protocol) === 'desktop') return 'shows a desktop';
  if (context.isDry) return undefined;
  await assertSpace(context);
  try {
    await keep(file, session, context);
    return undefined;
  } catch (error) {
    const cause = error instanceof StorageError ? error.cause : error;
    if (cause instanceof UnreadableReplay) return cause.message;
    throw error;
  }
}

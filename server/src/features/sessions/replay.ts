import { createGunzip } from 'node:zlib';
import { type ReplayInfo, say, session } from '@sallyport/contract';
import type { Context } from '../../http/context.ts';
import { openForAnswer } from '../../http/file-answer.ts';
import { parameter } from '../../http/route.ts';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { Conflict, describeProblem, NotFound, Unavailable } from '../../platform/errors.ts';
import { exhaustionOf } from '../../platform/exhausted.ts';
import {
  awayProblemOf,
  recordingKindOf,
  sealProblemOf,
} from '../../platform/storage/recordings.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import { serverOf } from '../servers/index.ts';
import { RecordingAway, type SharedRecordings } from './recordings-elsewhere.ts';

/** Blocks of a recorded desktop. The contract defines the format in `desktop-recording.ts`. */
const DESKTOP_TYPE = 'application/vnd.sallyport.desktop';
const TERMINAL_TYPE = 'application/x-asciicast';

export interface ReplayOptions {
  readonly db: Db;
  readonly engines: Engines;
  readonly recordings: SharedRecordings;
  /** Called when a user opens the recording of a session. */
  readonly replayOpened: (sessionId: string, userId: string) => Promise<void>;
}

/** The server that holds a recording, and the state of the recording. */
interface ReplayPlace {
  readonly start: Date;
  readonly state: string;
  /** True if the server that made the recording has yet to complete it. */
  readonly isAwaited: boolean;
  /** The server that made the recording, and the name of its terminal. */
  readonly holder: string | null;
  readonly terminal: string;
  /** The name of the bucket with the recording; null while it is on the disk of its server. */
  readonly storage: string | null;
}

async function replayOf(id: string, db: Db): Promise<ReplayPlace> {
  const { rows } = await sql<ReplayPlace>`
    select date_start as start, replay_state as state, holder,
      awaits_holder or is_finished and replay_state = 'recording' as "isAwaited",
      coalesce((select t.name from terminal t where t.holder = ${serverOf(sql`s.holder`)}),
        s.holder, '') as terminal,
      (select name from replay_storage r where r.id = s.replay_storage) as storage
    from session s where id = ${id}`.execute(db);
  return (
    rows[0] ?? {
      start: new Date(),
      state: 'none',
      isAwaited: false,
      holder: null,
      terminal: '',
      storage: null,
    }
  );
}

/**
 * Returns the recording of a session of the caller's organization. @throws NotFound, Conflict or
 * Unavailable with the reason
 */
async function findRecording({ db, engines }: ReplayOptions, context: Context) {
  const row = await engineOf(engines, session).reader.retrieve(parameter(context, 'id'), context);
  const { start, state, isAwaited, holder, terminal, storage } = await replayOf(String(row.id), db);
  const hasFile = state === 'finished' || state === 'recovered';
  if (!hasFile) {
    const reason = isAwaited ? 'away' : state;
    throw new NotFound('replay_missing', { reason: reasonText(reason, context) });
  }
  const recorded = { id: String(row.id), startedAt: start, holder };
  /**
   * Awaits the recording from this server, its own, or a bucket. @throws NotFound, Conflict or
   * Unavailable with the reason
   */
  const read = async <T>(work: Promise<T | undefined>): Promise<T> => {
    const recording = await work.catch((error: unknown) => {
      const problem = sealProblemOf(error);
      if (problem)
        throw new Conflict('replay_unreadable', {
          reason: say(UNREADABLE[problem], context.language),
        });
      const exhausted = exhaustionOf(error);
      // A disk that fails at reading may still take what the installation writes.
      const isAway = exhausted === undefined || exhausted === 'server_disk_failing';
      const away = isAway ? awayProblemOf(error) : undefined;
      if (away) {
        context.request.log.error({ session: row.id, err: error }, 'a recording could not be read');
        const text = storage === null ? AWAY.disk : AWAY[away];
        const reason = say(text, context.language, { name: storage ?? '' });
        throw new Unavailable('replay_away', { reason });
      }
      if (!(error instanceof RecordingAway)) throw error;
      const reason = say(UNREACHABLE, context.language, { name: terminal });
      throw new NotFound('replay_missing', { reason });
    });
    if (recording === undefined)
      throw new NotFound('replay_missing', { reason: reasonText('lost', context) });
    return recording;
  };
  const isDesktop = recordingKindOf(String(row.protocol)) === 'desktop';
  return { row, recorded, read, state, isDesktop };
}

/** Shows where the recording of a session is. */
export async function showReplay(options: ReplayOptions, context: Context): Promise<ReplayInfo> {
  const { row, recorded, read, state, isDesktop } = await findRecording(options, context);
  // The answer has the reason if a recording does not open; the player only sees a failed file.
  const { stream } = await read(options.recordings.open(recorded, { start: 0, length: 0 }));
  stream.resume();
  // Only the player calls this route. Thumbnails load the file directly and do not count as a
  // review.
  await options.replayOpened(recorded.id, context.actor.userId);
  const base = `/api/v1/terminal/sessions/${row.id}/replay/`;
  return {
    type: isDesktop ? 'desktop' : 'asciicast',
    src: `${base}file/`,
    user: String(row.user),
    asset: String(row.asset),
    system_user: String(row.system_user),
    date_start: String(row.date_start),
    date_end: row.date_end === null ? null : String(row.date_end),
    download_url: `${base}download/`,
    state: state as ReplayInfo['state'],
  };
}

/** Sends a recording to the player. */
export async function sendReplay(options: ReplayOptions, context: Context) {
  const { recorded, read, isDesktop } = await findRecording(options, context);
  const { request, reply } = context;
  // The recording is stored compressed and sent as stored. The browser decompresses it.
  const acceptsGzip = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
  const unpack = isDesktop || acceptsGzip ? undefined : createGunzip;
  const { stream, size } = await read(
    openForAnswer(context, () => options.recordings.open(recorded), unpack),
  );
  reply.header('cache-control', 'private, no-cache');
  if (isDesktop) reply.header('content-type', DESKTOP_TYPE).header('content-length', size);
  else {
    reply.header('content-type', TERMINAL_TYPE).header('vary', 'accept-encoding');
    if (acceptsGzip) reply.header('content-encoding', 'gzip').header('content-length', size);
  }
  return stream;
}

/** Sends a recording as a file. */
export async function downloadReplay(options: ReplayOptions, context: Context) {
  const { recorded, row, read, isDesktop } = await findRecording(options, context);
  const unpack = isDesktop ? undefined : createGunzip;
  const { stream } = await read(
    openForAnswer(context, () => options.recordings.open(recorded), unpack),
  );
  await options.replayOpened(recorded.id, context.actor.userId);
  const file = `${row.id}.${isDesktop ? 'desktop' : 'cast'}`;
  context.reply
    .header('content-type', isDesktop ? DESKTOP_TYPE : TERMINAL_TYPE)
    .header('content-disposition', `attachment; filename="${file}"`);
  return stream;
}

const UNREACHABLE = {
  en: 'the recording is on the server {name}, which does not answer',
  zh: '录像在服务器“{name}”上，该服务器没有响应',
} as const;

/** Reasons why a recording is out of reach for now, by the problem of its bucket. */
const AWAY = {
  disk: {
    en: 'the disk with the recording does not answer, or refuses access',
    zh: '录像所在的磁盘没有响应或拒绝访问',
  },
  hanging: {
    en: 'the storage “{name}” does not answer',
    zh: '录像存储“{name}”没有响应',
  },
  unavailable: {
    en: 'the storage “{name}” does not answer, or its bucket no longer exists',
    zh: '录像存储“{name}”没有响应，或其存储桶已不存在',
  },
  refused: {
    en: 'the storage “{name}” refuses access. Its keys may have changed',
    zh: '录像存储“{name}”拒绝访问，其密钥可能已更换',
  },
} as const;

const UNREADABLE = {
  damaged: {
    en: 'the file was changed after it was written',
    zh: '文件写入后被改动',
  },
  locked: {
    en: 'it is encrypted with a key that this installation no longer has',
    zh: '录像已加密，而本系统已没有对应的密钥',
  },
} as const;

function reasonText(state: string, { language }: Context): string {
  if (state === 'recording')
    return say({ en: 'the session is still running', zh: '会话尚未结束' }, language);
  if (state === 'away')
    return say(
      {
        en: 'the recording is on a server that stopped unexpectedly. That server completes it when it runs again',
        zh: '录像在意外停止的服务器上，该服务器恢复后自动补全',
      },
      language,
    );
  if (state === 'lost')
    return say({ en: 'the file no longer exists', zh: '文件已不存在' }, language);
  return describeProblem({ code: 'session_recording_failed' }, language);
}

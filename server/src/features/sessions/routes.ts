import { createGunzip } from 'node:zlib';
import {
  END_REASON_MAX,
  type Fields,
  type KillSessionReply,
  many,
  Permission,
  parseField,
  type ReplayInfo,
  say,
  session,
  text,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../http/context.ts';
import { openForAnswer } from '../../http/file-answer.ts';
import { parameter, readBody, route } from '../../http/route.ts';
import { fileOf } from '../../http/shapes.ts';
import { KILLED, REPLAY, SESSIONS_TO_END } from '../../http/wire-shapes.ts';
import { displayName } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { describeProblem, NotFound, Rejected } from '../../platform/errors.ts';
import { recordingKindOf } from '../../platform/storage/recordings.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import type { AuditWriter } from '../../resources/hooks.ts';
import { RecordingAway, type SharedRecordings } from './recordings-elsewhere.ts';
import { replayOf } from './store.ts';

export interface TerminalRouteOptions {
  readonly db: Db;
  readonly engines: Engines;
  readonly audit: AuditWriter;
  readonly recordings: SharedRecordings;
  /** Called when a user opens the recording of a session. */
  readonly replayOpened: (sessionId: string, userId: string) => Promise<void>;
  /** Ends a live session on whichever server carries it. */
  readonly terminate: (sessionId: string, who: string, why: string) => Promise<void>;
}

const SESSIONS = '/api/v1/terminal/sessions/';
/** Sessions to end, with the message to their users. */
const ENDING: Fields = {
  sessions: many({ label: session.title, to: 'session' }),
  reason: text({
    label: { en: 'Reason', zh: '原因' },
    max: END_REASON_MAX,
    required: false,
    defaultValue: '',
  }),
};
const RECORDING = fileOf(
  'application/x-asciicast',
  '{"version":2,"width":80,"height":24}\n[0.25,"o","$ "]\n',
);

/** Blocks of a recorded desktop. The contract defines the format in `desktop-recording.ts`. */
const DESKTOP_TYPE = 'application/vnd.sallyport.desktop';

export function mountTerminalRoutes(app: FastifyInstance, options: TerminalRouteOptions): void {
  const { db, engines, audit, recordings } = options;

  const readEnding = (context: Context): { readonly ids: string[]; readonly why: string } => {
    const { body } = context.request;
    if (typeof body === 'object' && body !== null && 'sessions' in body) {
      const { sessions, reason } = readBody(context, ENDING);
      return { ids: sessions as string[], why: String(reason ?? '') };
    }
    // Existing clients post a bare array of ids. Older ones post one id as the only key of a form.
    const ids = Array.isArray(body)
      ? body
      : typeof body === 'object' && body !== null
        ? Object.keys(body)
        : [];
    const parsed = parseField(many({ label: session.title, to: 'session' }), ids);
    if ('problem' in parsed) throw new Rejected(parsed.problem.code, parsed.problem.params);
    return { ids: parsed.value as string[], why: '' };
  };

  route(app, {
    method: 'POST',
    url: '/api/v1/terminal/tasks/kill-session/',
    access: Permission.ADMIN,
    summary:
      'End live sessions: their ids, or an object of ids and the reason that their users read.',
    bodyShape: SESSIONS_TO_END,
    answer: KILLED,
    async handler(context): Promise<KillSessionReply> {
      const { ids, why } = readEnding(context);
      const rows = await engineOf(engines, session).reader.rows(ids, context);
      const live = rows.filter((row) => row.is_finished === false);
      for (const row of live) {
        await audit(db, context, {
          action: 'terminate',
          resourceType: 'session',
          resource: `${row.user} → ${row.asset}`,
          resourceId: String(row.id),
          ...(why && { changes: { reason: [null, why] as const } }),
        });
        await options.terminate(String(row.id), displayName(context.actor), why);
      }
      return { ok: live.map((row) => String(row.id)) };
    },
  });

  /**
   * Returns the recording of a session of the caller's organization. @throws NotFound with the
   * reason
   */
  const recordingOf = async (context: Context) => {
    const row = await engineOf(engines, session).reader.retrieve(parameter(context, 'id'), context);
    const { start, state, holder, terminal } = await replayOf(String(row.id), db);
    const hasFile = state === 'finished' || state === 'recovered';
    if (!hasFile)
      throw new NotFound('replay_missing', {
        reason: reasonText(
          state === 'recording' && row.is_finished === true ? 'away' : state,
          context,
        ),
      });
    const recorded = { id: String(row.id), startedAt: start, holder };
    /** Awaits the recording from this server or its own. @throws NotFound with the reason */
    const read = async <T>(work: Promise<T | undefined>): Promise<T> => {
      const recording = await work.catch((error: unknown) => {
        if (!(error instanceof RecordingAway)) throw error;
        throw new NotFound('replay_missing', {
          reason: say(UNREACHABLE, context.language, { name: terminal }),
        });
      });
      if (recording === undefined)
        throw new NotFound('replay_missing', { reason: reasonText('lost', context) });
      return recording;
    };
    return { row, recorded, read, state, kind: recordingKindOf(String(row.protocol)) };
  };

  route(app, {
    method: 'GET',
    url: `${SESSIONS}:id/replay/`,
    access: Permission.AUDIT,
    summary: 'Where the recording of a session is.',
    answer: REPLAY,
    async handler(context): Promise<ReplayInfo> {
      const { row, recorded, read, state, kind } = await recordingOf(context);
      await read(recordings.find(recorded));
      // Only the player calls this route. Thumbnails load the file directly and do not count as a
      // review.
      await options.replayOpened(recorded.id, context.actor.userId);
      const base = `${SESSIONS}${row.id}/replay/`;
      return {
        type: kind === 'desktop' ? 'desktop' : 'asciicast',
        src: `${base}file/`,
        user: String(row.user),
        asset: String(row.asset),
        system_user: String(row.system_user),
        date_start: String(row.date_start),
        date_end: row.date_end === null ? null : String(row.date_end),
        download_url: `${base}download/`,
        state: state as ReplayInfo['state'],
      };
    },
  });
  route(app, {
    method: 'GET',
    url: `${SESSIONS}:id/replay/file/`,
    access: Permission.AUDIT,
    summary: 'The recording, for the player.',
    answer: RECORDING,
    async handler(context) {
      const { recorded, read, kind } = await recordingOf(context);
      if (kind === 'desktop') {
        const blocks = await read(openForAnswer(context, () => recordings.open(recorded)));
        context.reply
          .header('content-type', DESKTOP_TYPE)
          .header('content-length', blocks.size)
          .header('cache-control', 'private, no-cache');
        return blocks.stream;
      }
      const acceptsGzip = /\bgzip\b/.test(String(context.request.headers['accept-encoding'] ?? ''));
      const recording = await read(
        openForAnswer(
          context,
          () => recordings.open(recorded),
          acceptsGzip ? undefined : createGunzip,
        ),
      );
      context.reply
        .header('content-type', 'application/x-asciicast')
        .header('vary', 'accept-encoding')
        .header('cache-control', 'private, no-cache');
      // The recording is stored compressed and sent as stored. The browser decompresses it.
      if (acceptsGzip)
        context.reply.header('content-encoding', 'gzip').header('content-length', recording.size);
      return recording.stream;
    },
  });
  route(app, {
    method: 'GET',
    url: `${SESSIONS}:id/replay/download/`,
    access: Permission.AUDIT,
    summary: 'The recording as a file: of a terminal, one that the asciinema program plays.',
    answer: RECORDING,
    async handler(context) {
      const { recorded, row, read, kind } = await recordingOf(context);
      const isDesktop = kind === 'desktop';
      const recording = await read(
        openForAnswer(
          context,
          () => recordings.open(recorded),
          isDesktop ? undefined : createGunzip,
        ),
      );
      await options.replayOpened(recorded.id, context.actor.userId);
      context.reply
        .header('content-type', isDesktop ? DESKTOP_TYPE : 'application/x-asciicast')
        .header(
          'content-disposition',
          `attachment; filename="${row.id}.${isDesktop ? 'desktop' : 'cast'}"`,
        );
      return recording.stream;
    },
  });
}

const UNREACHABLE = {
  en: 'the recording is on the server {name}, which does not answer',
  zh: '录像在服务器“{name}”上，该服务器没有响应',
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

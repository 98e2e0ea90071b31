import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import { type KillSessionReply, many, Permission, parseField, type ReplayInfo, session } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { displayName } from '../../http/actor.ts';
import type { Context } from '../../http/context.ts';
import { Refusal, word } from '../../http/problem.ts';
import type { AuditWriter } from '../../http/resource/hooks.ts';
import { type Engines, engineOf } from '../../http/resource/mount.ts';
import { parameter, route } from '../../http/route.ts';
import { fileOf } from '../../http/shapes.ts';
import { KILLED, REPLAY, SESSION_IDS } from '../../http/wire-shapes.ts';
import type { Db } from '../../platform/db/database.ts';

export interface TerminalRouteOptions {
  readonly db: Db;
  readonly engines: Engines;
  readonly audit: AuditWriter;
  /** Where the finished recording of a session lies. */
  readonly recordingFile: (sessionId: string, dateStart: Date) => string;
  /** Ends a live session, on whichever server it runs. */
  readonly terminate: (sessionId: string, who: string) => Promise<void>;
}

const SESSIONS = '/api/v1/terminal/sessions/';
const RECORDING = fileOf('application/x-asciicast', '{"version":2,"width":80,"height":24}\n[0.25,"o","$ "]\n');

/** Ending, replaying and downloading sessions. */
export function mountTerminalRoutes(app: FastifyInstance, options: TerminalRouteOptions): void {
  const { db, engines, audit } = options;

  const readIds = (body: unknown): string[] => {
    // Older clients post one id as the only key of a form.
    const given = Array.isArray(body) ? body : typeof body === 'object' && body !== null ? Object.keys(body) : [];
    const parsed = parseField(many({ label: session.title, to: 'session' }), given);
    if ('problem' in parsed) throw new Refusal(400, parsed.problem.code, parsed.problem.params);
    return parsed.value as string[];
  };

  route(app, {
    method: 'POST',
    url: '/api/v1/terminal/tasks/kill-session/',
    access: Permission.ADMIN,
    summary: 'End live sessions.',
    bodyShape: SESSION_IDS,
    answer: KILLED,
    async handler(context): Promise<KillSessionReply> {
      const rows = await engineOf(engines, session).reader.rows(readIds(context.request.body), context);
      const live = rows.filter((row) => row.is_finished === false);
      for (const row of live) {
        await audit(db, context, { action: 'terminate', resourceType: 'session', resource: `${row.user} → ${row.asset}`, resourceId: String(row.id) });
        await options.terminate(String(row.id), displayName(context.actor));
      }
      return { ok: live.map((row) => String(row.id)) };
    },
  });

  /** The recording of a session of the caller's organization. @throws Refusal 404 with the reason */
  const recordingOf = async (context: Context) => {
    const row = await engineOf(engines, session).reader.retrieve(parameter(context, 'id'), context);
    const { rows } = await sql<{ date_start: Date; replay_state: string }>`select date_start, replay_state from session where id = ${row.id}`.execute(db);
    const { date_start: start = new Date(), replay_state: state = 'none' } = rows[0] ?? {};
    const hasFile = state === 'finished' || state === 'recovered';
    if (!hasFile) throw new Refusal(404, 'replay_missing', { reason: reasonText(state, context) });
    const file = options.recordingFile(String(row.id), start);
    const found = await stat(file).catch(() => undefined);
    if (!found) throw new Refusal(404, 'replay_missing', { reason: reasonText('lost', context) });
    return { row, file, state, size: found.size };
  };

  route(app, {
    method: 'GET',
    url: `${SESSIONS}:id/replay/`,
    access: Permission.AUDIT,
    summary: 'Where the recording of a session is.',
    answer: REPLAY,
    async handler(context): Promise<ReplayInfo> {
      const { row, state } = await recordingOf(context);
      const base = `${SESSIONS}${row.id}/replay/`;
      return {
        type: 'asciicast',
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
      const { file, size } = await recordingOf(context);
      const acceptsGzip = /\bgzip\b/.test(String(context.request.headers['accept-encoding'] ?? ''));
      context.reply.header('content-type', 'application/x-asciicast').header('vary', 'accept-encoding').header('cache-control', 'private, no-cache');
      if (!acceptsGzip) return createReadStream(file).pipe(createGunzip());
      // It is kept compressed and travels so; the browser opens it.
      context.reply.header('content-encoding', 'gzip').header('content-length', size);
      return createReadStream(file);
    },
  });
  route(app, {
    method: 'GET',
    url: `${SESSIONS}:id/replay/download/`,
    access: Permission.AUDIT,
    summary: 'The recording as a file that the asciinema program plays.',
    answer: RECORDING,
    async handler(context) {
      const { file, row } = await recordingOf(context);
      context.reply.header('content-type', 'application/x-asciicast').header('content-disposition', `attachment; filename="${row.id}.cast"`);
      return createReadStream(file).pipe(createGunzip());
    },
  });
}

function reasonText(state: string, { language }: Context): string {
  if (state === 'recording') return language === 'zh' ? '会话尚未结束' : 'the session is still running';
  if (state === 'lost') return language === 'zh' ? '文件已不存在' : 'the file is gone';
  return word({ code: 'session_recording_failed' }, language);
}

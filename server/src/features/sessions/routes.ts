import {
  END_REASON_MAX,
  type KillSessionReply,
  many,
  Permission,
  parseField,
  session,
  text,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../http/context.ts';
import { readBody, route } from '../../http/route.ts';
import { fileOf } from '../../http/shapes.ts';
import { KILLED, REPLAY, SESSIONS_TO_END } from '../../http/wire-shapes.ts';
import { displayName } from '../../platform/actor.ts';
import { Rejected } from '../../platform/errors.ts';
import { engineOf } from '../../resources/engines.ts';
import type { AuditWriter } from '../../resources/hooks.ts';
import { downloadReplay, type ReplayOptions, sendReplay, showReplay } from './replay.ts';

export interface TerminalRouteOptions extends ReplayOptions {
  readonly audit: AuditWriter;
  /** Ends a live session on whichever server carries it. */
  readonly terminate: (sessionId: string, who: string, why: string) => Promise<void>;
}

const REPLAY_URL = '/api/v1/terminal/sessions/:id/replay/';
const SESSIONS = many({ label: session.title, to: 'session' });
/** Sessions to end, with the message to their users. */
const ENDING = {
  sessions: SESSIONS,
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

type Ending = {
  readonly sessions: string[];
  readonly reason?: string;
};

/** Reads the sessions to end. @throws Invalid, Rejected */
function readEnding(context: Context): Ending {
  const { body } = context.request;
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  if (isObject && 'sessions' in body) return readBody(context, ENDING);
  // Existing clients post a bare array of ids. Older ones post one id as the only key of a form.
  const ids = Array.isArray(body) ? body : isObject ? Object.keys(body) : [];
  const parsed = parseField(SESSIONS, ids);
  if ('problem' in parsed) throw new Rejected(parsed.problem.code, parsed.problem.params);
  return { sessions: parsed.value as string[] };
}

/** Ends live sessions and logs it. */
async function endSessions(
  { db, engines, audit, terminate }: TerminalRouteOptions,
  context: Context,
): Promise<KillSessionReply> {
  const { sessions, reason = '' } = readEnding(context);
  const rows = await engineOf(engines, session).reader.rows(sessions, context);
  const live = rows.filter((row) => row.is_finished === false);
  for (const row of live) {
    await audit(db, context, {
      action: 'terminate',
      resourceType: 'session',
      resource: `${row.user} → ${row.asset}`,
      resourceId: String(row.id),
      ...(reason && { changes: { reason: [null, reason] as const } }),
    });
    await terminate(String(row.id), displayName(context.actor), reason);
  }
  return { ok: live.map((row) => String(row.id)) };
}

/** Routes to end sessions and to replay them. */
export function mountTerminalRoutes(app: FastifyInstance, options: TerminalRouteOptions): void {
  route(app, {
    method: 'POST',
    url: '/api/v1/terminal/tasks/kill-session/',
    access: Permission.ADMIN,
    summary:
      'End live sessions: their ids, or an object of ids and the reason that their users read.',
    bodyShape: SESSIONS_TO_END,
    answer: KILLED,
    handler: (context) => endSessions(options, context),
  });
  route(app, {
    method: 'GET',
    url: REPLAY_URL,
    access: Permission.AUDIT,
    area: 'logs',
    summary: 'The location of the recording of a session.',
    answer: REPLAY,
    handler: (context) => showReplay(options, context),
  });
  route(app, {
    method: 'GET',
    url: `${REPLAY_URL}file/`,
    access: Permission.AUDIT,
    area: 'logs',
    summary: 'The recording, for the player.',
    answer: RECORDING,
    handler: (context) => sendReplay(options, context),
  });
  route(app, {
    method: 'GET',
    url: `${REPLAY_URL}download/`,
    access: Permission.AUDIT,
    area: 'logs',
    summary: 'The recording as a file: of a terminal, one that the asciinema program plays.',
    answer: RECORDING,
    handler: (context) => downloadReplay(options, context),
  });
}

import { Readable } from 'node:stream';
import {
  datetime,
  type EvidencePreview,
  type Fields,
  isUuid,
  Permission,
  parseBody,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../http/context.ts';
import { parameter, route } from '../../http/route.ts';
import { fileOf, samples } from '../../http/shapes.ts';
import { Invalid, invalid, NotFound } from '../../platform/errors.ts';
import type { writeOperateLog } from '../audits/index.ts';
import {
  assertExportable,
  type EvidenceOptions,
  type EvidenceRange,
  exportEvidence,
  rangeName,
} from './export.ts';

interface RouteOptions extends Omit<EvidenceOptions, 'range'> {
  readonly write: typeof writeOperateLog;
}

// The chain contains rows of all organizations.
const access = Permission.SUPER | Permission.AUDIT;
const answer = fileOf('application/x-tar', 'manifest.json');
const QUERY: Fields = {
  from: datetime({ label: { en: 'From', zh: '开始' }, example: '2026-01-01 00:00:00 +0800' }),
  to: datetime({ label: { en: 'To', zh: '结束' }, example: '2027-01-01 00:00:00 +0800' }),
};

/** @throws Invalid */
function periodOf({ query, zone }: Context): EvidenceRange {
  const body = Object.fromEntries(['from', 'to'].map((name) => [name, query.get(name) ?? '']));
  const { values, problems } = parseBody(QUERY, body, 'create', { zone });
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
  const { from, to } = values;
  if (!(from instanceof Date && to instanceof Date && from < to))
    throw invalid('to', 'not_after_start');
  return { from, to };
}

/** Mounts the downloads of evidence. */
export function mountEvidence(http: FastifyInstance, { write, ...options }: RouteOptions): void {
  const { db } = options;
  const send = async (context: Context, range: EvidenceRange) => {
    await assertExportable(db, range);
    const entry = { action: 'view', resourceType: 'audit_log', resourceId: '' } as const;
    await db.transaction((tx) => write(tx, context, { ...entry, resource: rangeName(range) }));
    const name = rangeName(range).replaceAll(':', '-').replaceAll(' ', '');
    context.reply
      .header('content-type', 'application/x-tar')
      .header('cache-control', 'private, no-store')
      .header('content-disposition', `attachment; filename="evidence-${name}.tar"`);
    return Readable.from(exportEvidence({ ...options, range }));
  };
  route(http, {
    method: 'GET',
    url: '/api/v1/audits/evidence/',
    access,
    area: 'logs',
    summary:
      'The evidence of a period in a tar archive: all logs, sessions, commands, recordings, and tokens of the witness. The operate log gets an entry.',
    query: QUERY,
    answer,
    handler: (context) => send(context, periodOf(context)),
  });
  route(http, {
    method: 'GET',
    url: '/api/v1/audits/evidence/preview/',
    access,
    area: 'logs',
    summary: 'The number of sessions in the evidence of a period; an error if it has no entries.',
    query: QUERY,
    answer: samples<EvidencePreview>({ sessions: 12 }),
    handler: async (context): Promise<EvidencePreview> => ({
      sessions: await assertExportable(db, periodOf(context)),
    }),
  });
  route(http, {
    method: 'GET',
    url: '/api/v1/audits/evidence/:id/',
    access,
    area: 'logs',
    summary:
      'The evidence of an ended session in a tar archive: row, commands, recording, chain and tokens of the witness. The operate log gets an entry.',
    answer,
    async handler(context) {
      const session = parameter(context, 'id');
      if (!isUuid(session)) throw new NotFound('not_found');
      return send(context, { session });
    },
  });
}

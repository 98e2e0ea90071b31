import { type AuditVerification, formatDatetime, Permission } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import { displayName } from '../../platform/actor.ts';
import type { ChainVerdict } from './chain.ts';
import type { Verifier } from './verification.ts';

interface Verdict {
  readonly intact: boolean;
  readonly logs: readonly ChainVerdict[];
}

/** Verifies the logs. Only for administrators and auditors of the installation, because the chains contain rows of all organizations. */
export function mountAudits(app: FastifyInstance, verifier: Verifier): void {
  route(app, {
    method: 'POST',
    url: '/api/v1/audits/verify/',
    access: Permission.SUPER | Permission.AUDIT,
    summary: 'Prove that nothing in the logs was changed, removed or put in between.',
    answer: samples<Verdict>(
      { intact: true, logs: [{ log: 'operate_log', rows: 1284, removed: 0, first_break: null, last_break: null }] },
      { intact: false, logs: [{ log: 'login_log', rows: 310, removed: 40, first_break: 57, last_break: 57 }] },
    ),
    async handler({ actor }): Promise<Verdict> {
      const logs = await verifier.verify(displayName(actor));
      return { intact: logs.every((log) => log.first_break === null), logs };
    },
  });

  route(app, {
    method: 'GET',
    url: '/api/v1/audits/verification/',
    access: Permission.SUPER | Permission.AUDIT,
    summary: 'How the last verification of the audit logs ended.',
    answer: samples<AuditVerification>({ date: '2026-11-20 04:30:07 +0800', intact: true, by: '' }, { date: null, intact: false, by: '' }),
    async handler({ zone }): Promise<AuditVerification> {
      const last = await verifier.last();
      return last ? { date: formatDatetime(last.date, zone), intact: last.intact, by: last.by } : { date: null, intact: false, by: '' };
    },
  });
}

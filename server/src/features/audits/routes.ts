import { Permission } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import type { AuditChains, ChainVerdict } from './chain.ts';

interface Verdict {
  readonly intact: boolean;
  readonly logs: readonly ChainVerdict[];
}

/** Verifies the logs. Only for administrators and auditors of the installation, because the chains contain rows of all organizations. */
export function mountAudits(app: FastifyInstance, chains: AuditChains): void {
  route(app, {
    method: 'POST',
    url: '/api/v1/audits/verify/',
    access: Permission.SUPER | Permission.AUDIT,
    summary: 'Prove that nothing in the logs was changed, removed or put in between.',
    answer: samples<Verdict>(
      { intact: true, logs: [{ log: 'operate_log', rows: 1284, removed: 0, first_break: null, last_break: null }] },
      { intact: false, logs: [{ log: 'login_log', rows: 310, removed: 40, first_break: 57, last_break: 57 }] },
    ),
    async handler(): Promise<Verdict> {
      const logs = await chains.verify();
      return { intact: logs.every((log) => log.first_break === null), logs };
    },
  });
}

import { Permission } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/route.ts';
import type { Db } from '../../platform/db/database.ts';
import { type ChainVerdict, verifyChains } from './chain.ts';

/** Checking the logs; only those who stand above organizations, for the chains run through all of them. */
export function mountAudits(app: FastifyInstance, db: Db): void {
  route(app, {
    method: 'POST',
    url: '/api/v1/audits/verify/',
    access: Permission.SUPER | Permission.AUDIT,
    summary: 'Prove that nothing in the logs was changed, removed or put in between.',
    async handler(): Promise<{ intact: boolean; logs: ChainVerdict[] }> {
      const logs = await verifyChains(db);
      return { intact: logs.every((log) => log.first_break === null), logs };
    },
  });
}

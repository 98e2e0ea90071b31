import {
  type AgentConsent,
  type AgentDecision,
  formatDatetime,
  Permission,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { parameter, route } from '../../../http/route.ts';
import { samples } from '../../../http/shapes.ts';
import type { Db } from '../../../platform/db/database.ts';
import { notFound } from '../../../platform/errors.ts';
import { denyConsent, findConsent } from './consents.ts';
import { isLoopback, shownRedirect } from './redirects.ts';

const CONSENT: AgentConsent = {
  client: 'Claude Code',
  redirect: 'http://localhost/callback',
  is_local: true,
  remote_addr: '192.0.2.7',
  date_expired: '2026-01-31 08:40:00 +0800',
};
const DECISION: AgentDecision = { redirect: 'http://localhost:9000/callback?error=access_denied' };

/** Mounts the routes of the page on which a user decides about a program. */
export function mountConsents(app: FastifyInstance, { db }: { readonly db: Db }): void {
  route(app, {
    method: 'GET',
    url: '/api/v1/agents/consents/:id/',
    access: Permission.USE,
    summary: 'A program that asks to be an agent of the caller.',
    answer: samples<AgentConsent>(CONSENT),
    async handler(context): Promise<AgentConsent> {
      const waiting = await findConsent(parameter(context, 'id'), db);
      if (!waiting) throw notFound();
      return {
        client: waiting.client,
        redirect: shownRedirect(waiting.redirect),
        is_local: isLoopback(waiting.redirect),
        remote_addr: waiting.remote_addr,
        date_expired: formatDatetime(waiting.date_expired, context.zone),
      };
    },
  });
  route(app, {
    method: 'POST',
    url: '/api/v1/agents/consents/:id/deny/',
    access: Permission.USE,
    summary: 'Deny a program that asks to be an agent. Creating an agent for it allows it.',
    status: 200,
    answer: samples<AgentDecision>(DECISION),
    handler: async (context): Promise<AgentDecision> => ({
      redirect: await denyConsent(parameter(context, 'id'), db),
    }),
  });
}

import { isUuid } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { notFound } from '../platform/errors.ts';
import { publicRoute } from './route.ts';

const PROFILE = '/ui/users/profile';

/** Pages of the reference's own server that established consoles open in a window, and the page of the console that does the same. */
const MOVED: Readonly<Record<string, string>> = {
  '/core/auth/profile/otp/enable/start/': `${PROFILE}?activeTab=MFA`,
  '/core/auth/profile/otp/update/': `${PROFILE}?activeTab=MFA`,
  '/core/auth/profile/otp/disable/authentication/': `${PROFILE}?activeTab=MFA`,
  '/core/auth/profile/pubkey/generate/': `${PROFILE}?activeTab=SSHUpdate`,
};

/** Leads from such pages to ours. The pages themselves decide who may see them. */
export function mountMovedAddresses(app: FastifyInstance): void {
  for (const [url, to] of Object.entries(MOVED))
    publicRoute(app, { method: 'GET', url, handler: ({ reply }) => reply.redirect(to, 302) });
  publicRoute(app, {
    method: 'GET',
    url: '/core/ops/celery/task/:id/log/',
    handler({ reply, request }) {
      const { id } = request.params as { id: string };
      if (!isUuid(id)) throw notFound();
      return reply.redirect(`/ui/ops/celery/task/${id}/log/`, 302);
    },
  });
}

import { isUuid } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { notFound } from '../platform/errors.ts';
import { publicRoute } from './route.ts';

const PROFILE = '/ui/users/profile';

/**
 * Server pages that existing consoles open in a window, with the console page that replaces each.
 */
const MOVED: Readonly<Record<string, string>> = {
  '/core/auth/profile/otp/enable/start/': `${PROFILE}?activeTab=MFA`,
  '/core/auth/profile/otp/update/': `${PROFILE}?activeTab=MFA`,
  '/core/auth/profile/otp/disable/authentication/': `${PROFILE}?activeTab=MFA`,
  '/core/auth/profile/pubkey/generate/': `${PROFILE}?activeTab=SSHUpdate`,
};

/** Redirects former addresses to the console. The target pages check access. */
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

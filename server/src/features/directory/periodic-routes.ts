import { ERRORS, formatDatetime, type LdapPeriodic, say } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import { describeProblem } from '../../platform/errors.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import { SUPER } from '../../platform/settings/service.ts';
import type { ImportResult } from './periodic.ts';

const DONE: LdapPeriodic = {
  date_begun: '2026-01-31 02:30:00 +0800',
  date_done: '2026-01-31 02:30:04 +0800',
  reason: '',
  created: 2,
  updated: 5,
  unchanged: 1_993,
  refused: [{ username: 'bad name', reason: say(ERRORS.not_username, 'en') }],
};

/** Mounts the route for the result of the last scheduled import. */
export function mountPeriodic(app: FastifyInstance, jobs: Jobs): void {
  route(app, {
    method: 'GET',
    url: '/api/v1/settings/ldap/periodic/',
    access: SUPER,
    summary:
      'When the directory was last imported by itself, and what came of it; nulls when it never was.',
    answer: samples<LdapPeriodic>(DONE, { ...DONE, date_begun: null, date_done: null }),
    async handler({ language, zone }): Promise<LdapPeriodic> {
      const row = await jobs.latest<ImportResult>({ name: 'ldap-import' });
      const date = (moment: Date | null | undefined) =>
        moment ? formatDatetime(moment, zone) : null;
      const { created = 0, updated = 0, unchanged = 0, refused = [] } = row?.result ?? {};
      return {
        date_begun: date(row?.date_started),
        date_done: date(row?.date_finished),
        reason: row?.problem ? describeProblem(row.problem, language) : '',
        created,
        updated,
        unchanged,
        refused: refused.map(({ username, reason }) => ({
          username,
          reason: say(ERRORS[reason], language),
        })),
      };
    },
  });
}

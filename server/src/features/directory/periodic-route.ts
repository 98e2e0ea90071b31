import { ERRORS, type ErrorCode, formatDatetime, type LdapPeriodic, say } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import type { Db } from '../../platform/db/database.ts';
import { SUPER } from '../settings/setting-routes.ts';

const DONE: LdapPeriodic = {
  date_begun: '2026-01-31 02:30:00 +0800',
  date_done: '2026-01-31 02:30:04 +0800',
  reason: '',
  created: 2,
  updated: 5,
  unchanged: 1_993,
  refused: [{ username: 'bad name', reason: say(ERRORS.not_username, 'en') }],
};

interface Kept extends Omit<LdapPeriodic, 'date_begun' | 'date_done' | 'refused'> {
  readonly date_begun: Date | null;
  readonly date_done: Date | null;
  readonly refused: readonly { readonly username: string; readonly reason: ErrorCode }[];
}

/** What came of the last periodic import. */
export function mountPeriodic(app: FastifyInstance, db: Db): void {
  route(app, {
    method: 'GET',
    url: '/api/v1/settings/ldap/periodic/',
    access: SUPER,
    summary: 'When the directory was last imported by itself, and what came of it; nulls when it never was.',
    answer: samples<LdapPeriodic>(DONE, { ...DONE, date_begun: null, date_done: null }),
    async handler({ language, zone }): Promise<LdapPeriodic> {
      const { rows } = await sql<Kept>`select date_begun, date_done, reason, created, updated, unchanged, refused from ldap_periodic`.execute(db);
      const [kept] = rows;
      if (!kept) throw new Error('the row of the periodic import is missing');
      const date = (moment: Date | null) => moment && formatDatetime(moment, zone);
      return {
        ...kept,
        date_begun: date(kept.date_begun),
        date_done: date(kept.date_done),
        refused: kept.refused.map(({ username, reason }) => ({ username, reason: say(ERRORS[reason], language) })),
      };
    },
  });
}

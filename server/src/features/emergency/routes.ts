import {
  EMERGENCY_FIELDS,
  type EmergencyAccount,
  type EmergencyAsset,
  type EmergencyOpened,
  formatDatetime,
  type Page,
  Permission,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { exampleId } from '../../http/openapi/examples.ts';
import { neighbors } from '../../http/page.ts';
import { readBody, route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import { readPaging } from '../../resources/read/page.ts';
import type { FreshFactors } from '../identity/index.ts';
import type { GrantService } from '../perms/index.ts';
import { type OpenServices, openAccess } from './open.ts';
import { type ReachedAsset, reachOf, type StandingAccess, standingAccess } from './store.ts';

const MOST_ROWS = 1_000;
const MOST_SEARCH = 128;
/** A second factor older than this is requested again. */
const FRESH_MINUTES = 5;

const MOMENT = '2026-01-31 09:00:00 +0800';
const CLOSED: EmergencyAsset = {
  id: `${exampleId('emergency_access')}_${exampleId('asset')}`,
  rule: exampleId('emergency_access'),
  rule_name: 'Night shift',
  asset: exampleId('asset'),
  hostname: 'web-prod-01',
  ip: '10.20.30.41',
  system_users: ['ops'],
  accounts: [{ id: exampleId('system_user'), name: 'ops', is_new: true }],
  max_minutes: 60,
  org_name: 'DEFAULT',
  active_until: null,
  ticket: null,
};
const OPEN: EmergencyAsset = { ...CLOSED, active_until: MOMENT, ticket: exampleId('ticket') };

/** The accounts of an asset, those first that the user does not have already. */
const newFirst = (
  { asset, accounts }: Pick<ReachedAsset, 'asset' | 'accounts'>,
  standing: StandingAccess,
): readonly EmergencyAccount[] =>
  accounts
    .map((account) => ({ ...account, is_new: standing.endOf(asset, account.id) === undefined }))
    .toSorted((one, other) => Number(other.is_new) - Number(one.is_new));

/** Lists the emergency access of the caller, and opens it. */
export function mountEmergencyAccess(
  app: FastifyInstance,
  services: OpenServices & { readonly fresh: FreshFactors; readonly grants: GrantService },
): void {
  const url = '/api/v1/perms/users/emergency-access/';

  route(app, {
    method: 'GET',
    url,
    access: Permission.USE,
    licensed: true,
    summary: 'The assets to which the caller may open emergency access at once, by host name.',
    answer: samples<Page<EmergencyAsset>>({
      count: 2,
      next: null,
      previous: null,
      results: [CLOSED, OPEN],
    }),
    async handler(context): Promise<Page<EmergencyAsset>> {
      const { query, actor, zone } = context;
      const { limit = MOST_ROWS, offset } = readPaging(query, MOST_ROWS);
      const search = (query.get('search') ?? '').trim().slice(0, MOST_SEARCH);
      const { rows, count } = await reachOf(actor.userId, { search, limit, offset }, services.db);
      const standing = await standingAccess(
        actor.userId,
        [...new Set(rows.map(({ asset }) => asset))],
        services,
      );
      const results = rows.map(
        ({ mask: _mask, org_id: _organization, active_until: until, ...row }) => ({
          id: `${row.rule}_${row.asset}`,
          ...row,
          accounts: newFirst(row, standing),
          system_users: row.accounts.map(({ name }) => name),
          active_until: until && formatDatetime(until, zone),
        }),
      );
      return { count, ...neighbors(context, limit, offset, count), results };
    },
  });

  route(app, {
    method: 'POST',
    url,
    access: Permission.USE,
    licensed: true,
    summary:
      'Open emergency access: a permission for a short time that notifies all reviewers at once. Users with a second factor must have proved it within 5 minutes.',
    body: EMERGENCY_FIELDS,
    answer: samples<EmergencyOpened>({
      ticket: exampleId('ticket'),
      asset: exampleId('asset'),
      date_expired: MOMENT,
    }),
    status: 201,
    async handler(context): Promise<EmergencyOpened> {
      const opening = readBody(context, EMERGENCY_FIELDS);
      await services.fresh.assertFresh(context.actor, FRESH_MINUTES);
      const { ticket, end } = await openAccess(opening, context, services);
      context.reply.code(201);
      return { ticket, asset: opening.asset, date_expired: formatDatetime(end, context.zone) };
    },
  });
}

import type { WelcomeFacts } from '@sallyport/contract';
import { secret } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { PublicContext } from '../../../http/context.ts';
import { publicRoute, readBody } from '../../../http/route.ts';
import { samples } from '../../../http/shapes.ts';
import { type Db, transact } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { Rejected } from '../../../platform/errors.ts';
import { assertOwnPage } from '../sign-in/cookies.ts';
import type { RateLimit } from '../sign-in/rate-limit.ts';
import { accountOfToken } from './reset-links.ts';

interface WelcomeOptions {
  readonly db: Db;
  readonly limit: RateLimit;
  readonly publicUrl: string | undefined;
}

/** Names of servers and nodes that the page shows. */
const MOST_TARGETS = 5;

const WELCOME = {
  token: secret({ label: { en: 'Token', zh: '令牌' }, max: 100, required: true }),
};

interface Row extends Omit<WelcomeFacts, 'date_expired'> {
  readonly date_expired: Date | null;
}

/** Reads the facts of an invited account for the holder of its link. */
async function factsOf(userId: string, db: Db): Promise<WelcomeFacts | undefined> {
  const { rows } = await sql<Row>`
    with own as (
      select p.id from asset_permission_users u
        join asset_permission p on p.id = u.asset_permission_id
      where u.user_id = ${userId} and p.is_active and p.date_expired > now()
    ), target as (
      select a.hostname as name from own
        join asset_permission_assets pa on pa.asset_permission_id = own.id
        join asset a on a.id = pa.asset_id
      union
      select n.value from own
        join asset_permission_nodes pn on pn.asset_permission_id = own.id
        join node n on n.id = pn.node_id
    )
    select a.username, a.name, a.created_by as invited_by, a.date_expired,
      array(select distinct o.name from organization_member m
        join organization o on o.id = m.organization_id
        where m.user_id = a.id order by o.name) as organizations,
      array(select name from target order by name limit ${MOST_TARGETS}) as targets,
      (select count(*)::integer from target) as target_count
    from account a where a.id = ${userId}`.execute(db);
  const [row] = rows;
  return row && { ...row, date_expired: row.date_expired?.toISOString() ?? null };
}

async function welcomeByLink(options: WelcomeOptions, context: PublicContext) {
  const { db, limit, publicUrl } = options;
  await limit(context);
  assertOwnPage(context, publicUrl);
  const { token } = readBody(context, WELCOME);
  const owner = await transact(db, (tx) => accountOfToken(token, tx));
  const facts = owner && (await factsOf(owner.id, db));
  if (!facts) throw new Rejected('reset_link_invalid');
  return facts;
}

/**
 * Mounts the facts that the page of an invitation link shows. The holder of the link may read
 * them.
 */
export function mountWelcome(app: FastifyInstance, options: WelcomeOptions): void {
  publicRoute(app, {
    method: 'POST',
    url: '/core/auth/welcome/',
    summary: 'The facts of an invitation, by the token of its link.',
    body: WELCOME,
    bodyLimit: 65_536,
    answer: samples<WelcomeFacts>({
      username: 'ana.cole',
      name: 'Ana Cole',
      invited_by: 'Administrator',
      organizations: ['Example'],
      targets: ['db-01'],
      target_count: 1,
      date_expired: null,
    }),
    handler: (context) => welcomeByLink(options, context),
  });
}

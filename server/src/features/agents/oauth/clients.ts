import { isMisleading } from '@sallyport/contract';
import { randomToken } from '../../../platform/crypto/token.ts';
import { type Db, type Tx, transact } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { networkOf } from '../../../platform/network-of.ts';
import { oauthProblem } from './problems.ts';
import { isLoopback } from './redirects.ts';

/** Registrations that no user has approved yet, of one network; a new one replaces the oldest. */
const MAX_PER_PLACE = 50;
/** Registrations of the installation; a new one replaces the oldest without a token. */
const MAX_CLIENTS = 5_000;
const MAX_REDIRECTS = 10;
const MAX_NAME = 64;
/** Days until an unused registration expires. Each token extends the registration. */
const UNUSED_DAYS = 1;
const USED_DAYS = 90;

/** A registered program. It chose its own name. */
export interface AgentClient {
  readonly id: string;
  readonly name: string;
  readonly redirects: readonly string[];
}

type Metadata = Readonly<Record<string, unknown>>;

const listOf = (value: unknown): readonly string[] | undefined =>
  Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : undefined;

/** Returns the name of a program on one line, without hidden characters. */
function nameOf({ client_name: given }: Metadata): string {
  const name = typeof given === 'string' ? given.trim().slice(0, MAX_NAME).trim() : '';
  return name === '' || isMisleading(name) || !name.isWellFormed() ? 'MCP client' : name;
}

/**
 * Returns name and redirects of a registration. It may list redirects that are not allowed here,
 * such as those of the vendor's website; these are left out.
 * @throws Rejected
 */
export function readMetadata(metadata: Metadata): Pick<AgentClient, 'name' | 'redirects'> {
  const { grant_types: grants, response_types: responses } = metadata;
  const misses = (value: unknown, needed: string) =>
    value !== undefined && !listOf(value)?.includes(needed);
  if (misses(grants, 'authorization_code') || misses(responses, 'code'))
    throw oauthProblem('invalid_client_metadata', 'agent_client_metadata');
  const redirects = listOf(metadata.redirect_uris)?.slice(0, MAX_REDIRECTS).filter(isLoopback);
  if (!redirects?.length) throw oauthProblem('invalid_redirect_uri', 'agent_redirects');
  return { name: nameOf(metadata), redirects };
}

/** Registers a program. @throws Rejected */
export async function registerClient(
  metadata: Metadata,
  remoteAddress: string,
  db: Db,
): Promise<AgentClient> {
  const { name, redirects } = readMetadata(metadata);
  const place = networkOf(remoteAddress);
  return transact(db, async (tx) => {
    await sql`
      delete from agent_client where id in (
        (select id from agent_client where place = ${place} and date_used is null
          order by date_created desc offset ${MAX_PER_PLACE - 1})
        union all
        (select id from agent_client where date_used is null
          and (select count(*) from agent_client) >= ${MAX_CLIENTS}
          order by date_created limit 1))`.execute(tx);
    const { rows } = await sql<{ id: string }>`
      insert into agent_client (id, name, redirects, place, date_expired)
      select ${randomToken()}, ${name}, ${[...redirects]}, ${place},
        now() + make_interval(days => ${UNUSED_DAYS})
      where (select count(*) from agent_client) < ${MAX_CLIENTS}
      returning id`.execute(tx);
    const [row] = rows;
    if (!row) throw oauthProblem('temporarily_unavailable', 'agent_clients_full');
    return { id: row.id, name, redirects };
  });
}

/** Finds a registered program; undefined if it is unknown or its registration has expired. */
export async function findClient(id: string, db: Db): Promise<AgentClient | undefined> {
  const { rows } = await sql<AgentClient>`
    select id, name, redirects from agent_client
    where id = ${id} and date_expired > now()`.execute(db);
  return rows[0];
}

/** Extends the registration of a program that received a token. */
export async function extendClient(id: string, tx: Tx): Promise<void> {
  await sql`update agent_client set date_used = now(),
    date_expired = now() + make_interval(days => ${USED_DAYS}) where id = ${id}`.execute(tx);
}

/** Deletes expired registrations. Called periodically. */
export async function clearClients(db: Db): Promise<void> {
  await sql`delete from agent_client where date_expired < now()`.execute(db);
}

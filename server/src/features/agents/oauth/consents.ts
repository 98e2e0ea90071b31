import { isUuid } from '@sallyport/contract';
import { randomToken, tokenDigest } from '../../../platform/crypto/token.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { Rejected } from '../../../platform/errors.ts';
import { networkOf } from '../../../platform/network-of.ts';
import { answerAt } from './redirects.ts';

/** Seconds for which a program waits for the decision of a user. */
const WAIT_SECONDS = 900;
/** Seconds for which the code of a decision is valid. */
const CODE_SECONDS = 120;
/** Waiting programs of one network; a new one replaces the oldest. */
const MAX_PER_PLACE = 50;
/** Waiting programs of the installation. */
const MAX_WAITING = 5_000;

/** A program that asks for a leash. */
export interface NewConsent {
  readonly clientId: string;
  readonly redirect: string;
  readonly issuer: string;
  readonly state: string | undefined;
  readonly challenge: string;
  readonly remoteAddress: string;
}

/** A program that waits for a decision. */
export interface WaitingConsent {
  readonly id: string;
  readonly client: string;
  readonly client_id: string;
  readonly redirect: string;
  readonly issuer: string;
  readonly state: string | null;
  readonly remote_addr: string;
  readonly date_expired: Date;
}

/** Stores the request of a program. Returns its id. */
export async function beginConsent(wanted: NewConsent, db: Db): Promise<string> {
  const { clientId, redirect, issuer, state = null, challenge, remoteAddress } = wanted;
  const place = networkOf(remoteAddress);
  await sql`
    delete from agent_consent where id in (
      (select id from agent_consent where place = ${place} and agent_id is null
        order by date_created desc offset ${MAX_PER_PLACE - 1})
      union all
      (select id from agent_consent where agent_id is null
        order by date_created desc offset ${MAX_WAITING - 1}))`.execute(db);
  const { rows } = await sql<{ id: string }>`
    insert into agent_consent
      (client_id, redirect, issuer, state, challenge, remote_addr, place, date_expired)
    values (${clientId}, ${redirect}, ${issuer}, ${state}, ${challenge}, ${remoteAddress},
      ${place}, now() + make_interval(secs => ${WAIT_SECONDS}))
    returning id`.execute(db);
  return rows[0]?.id ?? '';
}

/** Finds a program that waits for a decision; undefined if it waits no longer. */
export async function findConsent(id: string, on: Db | Tx): Promise<WaitingConsent | undefined> {
  if (!isUuid(id)) return undefined;
  const { rows } = await sql<WaitingConsent>`
    select c.id, p.name as client, c.client_id, c.redirect, c.issuer, c.state, c.remote_addr,
      c.date_expired
    from agent_consent c join agent_client p on p.id = c.client_id
    where c.id = ${id}::uuid and c.agent_id is null and not c.is_denied
      and c.date_expired > now()`.execute(on);
  return rows[0];
}

/** Returns a program that waits for a decision. @throws Rejected if it waits no longer */
export async function waitingConsent(id: string, on: Db | Tx): Promise<WaitingConsent> {
  const waiting = await findConsent(id, on);
  if (!waiting) throw new Rejected('agent_consent_over');
  return waiting;
}

/** Gives a waiting program its agent. Returns where the browser takes the code. @throws Rejected */
export async function grantConsent(id: string, agentId: string, tx: Tx): Promise<string> {
  const { redirect, issuer, state } = await waitingConsent(id, tx);
  const code = randomToken();
  const { rowCount } = await sql`
    update agent_consent set agent_id = ${agentId}, code_digest = ${tokenDigest(code)},
      date_expired = now() + make_interval(secs => ${CODE_SECONDS})
    where id = ${id}::uuid and agent_id is null and not is_denied`.execute(tx);
  if (rowCount === 0) throw new Rejected('agent_consent_over');
  return answerAt(redirect, { error: null, code, state, iss: issuer });
}

/** Denies a waiting program. Returns where the browser takes the answer. @throws Rejected */
export async function denyConsent(id: string, db: Db): Promise<string> {
  const { redirect, issuer, state } = await waitingConsent(id, db);
  const { rowCount } = await sql`
    update agent_consent set is_denied = true
    where id = ${id}::uuid and agent_id is null and not is_denied`.execute(db);
  if (rowCount === 0) throw new Rejected('agent_consent_over');
  return answerAt(redirect, { code: null, error: 'access_denied', state, iss: issuer });
}

/** Deletes expired requests. Called periodically. */
export async function clearConsents(db: Db): Promise<void> {
  await sql`delete from agent_consent where date_expired < now()`.execute(db);
}

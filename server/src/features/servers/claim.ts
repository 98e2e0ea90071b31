import { networkInterfaces } from 'node:os';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from '../../config.ts';
import type { Db } from '../../platform/db/database.ts';
import { databaseAddress } from '../../platform/db/hosts.ts';
import { sql } from '../../platform/db/sql.ts';
import type { PeerAddress } from '../../platform/peers/channel.ts';
import { COMMAND } from '../../platform/release.ts';
import { DEAD_AFTER_SECONDS } from './store.ts';

/** The command that gives a copied data folder its own identity. */
export const NEW_IDENTITY = `${COMMAND} server new-identity`;
/** Name of the request for the token of a running instance. */
export const INSTANCE = 'instance';
const ANSWER_MS = 2_000;
/** Longer than the interval between heartbeats: a running instance sends one meanwhile. */
const WATCH_MS = 15_000;
const LOOK_MS = 500;

interface Instance extends PeerAddress {
  readonly instance: string | null;
  readonly seen: string;
}

/** Sends a question to another server and returns its answer. */
export type Ask = (
  address: PeerAddress,
  name: string,
  about: unknown,
  limits: { readonly milliseconds: number; readonly signal: AbortSignal },
) => Promise<Readable & { readonly statusCode?: number | undefined }>;

export interface ClaimOptions {
  readonly db: Db;
  readonly channel: { readonly ask: Ask };
  /** The id of this process. */
  readonly id: string;
  /** The token of this instance. */
  readonly instance: string;
  /** The address of this process, as other servers will reach it. */
  readonly host: string;
  readonly databaseUrl: string;
  /** Maximum wait for a heartbeat. Default: longer than the interval between heartbeats. */
  readonly watchMilliseconds?: number;
}

/** Takes over the row of this process in a database that belongs to its folder. */
export async function takeRow(db: Db, id: string, instance: string): Promise<void> {
  await sql`
    insert into server (id, host, port, instance) values (${id}, '', 0, ${instance})
    on conflict (id) do update set instance = excluded.instance, date_seen = now(),
      is_stopping = false`.execute(db);
}

/**
 * Claims the row of this process before it touches other rows. Takes over at once from an instance
 * that is provably dead, such as a killed one on this machine. Otherwise waits for its heartbeat.
 *
 * @throws StartError if another instance runs with the same identity, such as a cloned machine
 */
export async function claimIdentity(options: ClaimOptions): Promise<void> {
  const { db, id, instance, host } = options;
  const before = await otherInstance(options);
  if (before && (await isAlive(options, before))) throw sharedIdentity(before);
  // Two clones that start together: the second one finds the token of the first.
  const { rowCount } = await sql`
    insert into server as s (id, host, port, instance) values (${id}, ${host}, 0, ${instance})
    on conflict (id) do update set host = excluded.host, port = 0, instance = excluded.instance,
      date_seen = now(), is_stopping = false
    where s.instance is not distinct from ${before?.instance ?? null}
      or s.instance = ${instance}
      or s.date_seen <= now() - make_interval(secs => ${DEAD_AFTER_SECONDS})`.execute(db);
  if (rowCount > 0) return;
  throw sharedIdentity(await otherInstance(options));
}

/** Returns the address at which an instance answers under an id. Undefined without one. */
export async function answeringInstance({
  db,
  id,
  channel,
}: Pick<ClaimOptions, 'db' | 'id' | 'channel'>): Promise<PeerAddress | undefined> {
  const other = await otherInstance({ db, id, instance: '' });
  if (!other) return undefined;
  return isThe(other, await answerOf(channel, other)) ? other : undefined;
}

/** Returns another instance with a recent heartbeat under the id. */
async function otherInstance({
  db,
  id,
  instance,
}: Pick<ClaimOptions, 'db' | 'id' | 'instance'>): Promise<Instance | undefined> {
  const { rows } = await sql<Instance>`
    select host, port, instance, date_seen::text as seen from server
    where id = ${id} and instance is distinct from ${instance}
      and date_seen > now() - make_interval(secs => ${DEAD_AFTER_SECONDS})`.execute(db);
  return rows[0];
}

/** Returns true if an instance answers at its address, or sends another heartbeat. */
async function isAlive(options: ClaimOptions, before: Instance): Promise<boolean> {
  const answer = await answerOf(options.channel, before);
  if (answer.kind === 'instance') return isThe(before, answer);
  if (answer.kind === 'refused' && isThisMachine(before.host, options.databaseUrl)) return false;
  const { watchMilliseconds = WATCH_MS } = options;
  for (const until = performance.now() + watchMilliseconds; performance.now() < until; ) {
    await sleep(LOOK_MS);
    const now = await otherInstance(options);
    if (!now) return false;
    if (now.seen !== before.seen || now.instance !== before.instance) return true;
  }
  return false;
}

type Answer =
  | { readonly kind: 'instance'; readonly instance: string | undefined }
  /** No process listens at the address. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'silent' };

/** Returns true if an answer is of the instance in the row. Earlier versions have no token. */
const isThe = ({ instance }: Instance, answer: Answer): boolean =>
  answer.kind === 'instance' && (instance === null || answer.instance === instance);

async function answerOf(channel: ClaimOptions['channel'], address: PeerAddress): Promise<Answer> {
  // It is not listening yet, or it was killed before: only a heartbeat tells.
  if (address.port === 0) return { kind: 'silent' };
  try {
    const answer = await channel.ask(address, INSTANCE, null, {
      milliseconds: ANSWER_MS,
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    const body = await text(answer);
    // An earlier version answers that it does not know the request.
    return {
      kind: 'instance',
      instance: answer.statusCode === 200 ? String(JSON.parse(body)) : undefined,
    };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { kind: code === 'ECONNREFUSED' ? 'refused' : 'silent' };
  }
}

/** Machines that share a database on another machine may all name their loopback address. */
function isThisMachine(host: string, databaseUrl: string): boolean {
  const own = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  const find = (name: string) => own.find(({ address }) => address === name);
  const card = find(host);
  if (!card?.internal) return card !== undefined;
  return databaseAddress(databaseUrl).hosts.every(
    ({ name }) => name === 'localhost' || find(name) !== undefined,
  );
}

/** Explains to the operator that two servers have one identity. */
export function sharedIdentity(other: PeerAddress | undefined): StartError {
  const place = other?.port ? `runs at ${other.host}:${other.port}` : 'is starting';
  return new StartError(
    `A server with the identity of this data folder (server.id) ${place}. If this machine or folder is a copy, give it a new identity: ${NEW_IDENTITY}. If it is the same server, stop that one first.`,
  );
}

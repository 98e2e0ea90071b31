import { availableParallelism, loadavg, networkInterfaces } from 'node:os';
import { type LocalText, terminal } from '@sallyport/contract';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { RELEASE } from '../../platform/release.ts';

/** Facts that a server reports about itself. */
export interface TerminalFacts {
  /** Identifies the server across restarts. */
  readonly holder: string;
  /** The name until an administrator changes it. */
  readonly hostname: string;
  readonly sshPort: number;
  readonly httpPort: number;
}

const NAME_MAX = terminal.fields.name.max ?? 32;

/**
 * Registers this server as a terminal, retired unless `isAccepted`. After a restart, updates its
 * row and keeps name, comment and retirement.
 */
export async function registerTerminal(
  db: Db,
  { holder, hostname, sshPort, httpPort }: TerminalFacts,
  isAccepted: boolean,
): Promise<void> {
  const facts = sql`remote_addr = ${ownAddress()}, ssh_port = ${sshPort}, http_port = ${httpPort},
    version = ${RELEASE.version}, date_heartbeat = now()`;
  for (let attempt = 1; ; attempt++) {
    const known = await sql`update terminal set ${facts} where holder = ${holder}`.execute(db);
    if (known.rowCount === 1) return;
    // Two servers of one machine, or two machines with one name: the next server gets a number.
    const name =
      attempt === 1
        ? hostname.slice(0, NAME_MAX)
        : `${hostname.slice(0, NAME_MAX - 1 - String(attempt).length)}-${attempt}`;
    await sql`insert into terminal (name, holder, is_active, replay_storage)
      values (${name}, ${holder}, ${isAccepted},
        coalesce((select min(r.name) from replay_storage r where r.is_for_all), 'default'))
      on conflict do nothing`.execute(db);
  }
}

/**
 * Sends a heartbeat, and registers again if the row was deleted. Returns true if this server
 * accepts new sessions.
 */
export async function beat(db: Db, facts: TerminalFacts, isAccepted: boolean): Promise<boolean> {
  const { rows } = await sql<{ isActive: boolean }>`
    update terminal set date_heartbeat = now(),
      load = ${loadPercent()} where holder = ${facts.holder} returning is_active
      as "isActive"`.execute(db);
  if (rows[0]) return rows[0].isActive;
  await registerTerminal(db, facts, isAccepted);
  return isAccepted;
}

/** Stores the result of the self-test of this server, or clears it while the self-test is off. */
export async function reportCanary(
  db: Db,
  { holder }: Pick<TerminalFacts, 'holder'>,
  result:
    | {
        readonly date: Date;
        readonly milliseconds: number;
        readonly problem: LocalText | undefined;
      }
    | undefined,
): Promise<void> {
  await sql`
    update terminal set canary_date = ${result?.date ?? null},
      canary_milliseconds = ${result?.milliseconds ?? null},
      canary_problem = ${result?.problem ? JSON.stringify(result.problem) : null}::jsonb
    where holder = ${holder} and (canary_date is not null or ${result !== undefined})`.execute(db);
}

/** Marks this server as stopped. */
export async function leave(db: Db, { holder }: Pick<TerminalFacts, 'holder'>): Promise<void> {
  await sql`update terminal set date_heartbeat = null where holder = ${holder}`.execute(db);
}

/**
 * Load average of the last minute per processor, in percent. Waiting processes count, so it can
 * exceed 100.
 */
function loadPercent(): number {
  return Math.round(((loadavg()[0] ?? 0) / availableParallelism()) * 100);
}

/** The first address that is reachable from other machines, or else the loopback address. */
function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((one) => one ?? []);
  const outside = all.filter(({ internal, address }) => !internal && !address.startsWith('fe80:'));
  return (outside.find(({ family }) => family === 'IPv4') ?? outside[0])?.address ?? '127.0.0.1';
}

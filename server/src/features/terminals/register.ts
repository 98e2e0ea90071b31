import { availableParallelism, loadavg, networkInterfaces } from 'node:os';
import { type LocalText, PRODUCT_VERSION, terminal } from '@sallyport/contract';
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';

/** What a server says of itself. */
export interface TerminalFacts {
  /** Names the server across restarts. */
  readonly holder: string;
  /** What it is called until an administrator renames it. */
  readonly hostname: string;
  readonly sshPort: number;
  readonly httpPort: number;
}

const NAME_MAX = terminal.fields.name.max ?? 32;

/**
 * Adds this server to the terminals, as retired unless it is accepted, or brings its row up to date
 * after a restart; its name, comment and retirement stay.
 */
export async function registerTerminal(
  db: Db,
  { holder, hostname, sshPort, httpPort }: TerminalFacts,
  isAccepted: boolean,
): Promise<void> {
  const facts = sql`remote_addr = ${ownAddress()}, ssh_port = ${sshPort}, http_port = ${httpPort},
    version = ${PRODUCT_VERSION}, date_heartbeat = now()`;
  for (let attempt = 1; ; attempt++) {
    const known = await sql`update terminal set ${facts} where holder = ${holder}`.execute(db);
    if (known.numAffectedRows === 1n) return;
    // Two servers of one machine, or two machines of one name: the next one gets a number.
    const name =
      attempt === 1
        ? hostname.slice(0, NAME_MAX)
        : `${hostname.slice(0, NAME_MAX - 1 - String(attempt).length)}-${attempt}`;
    await sql`insert into terminal (name, holder, is_active)
      values (${name}, ${holder}, ${isAccepted}) on conflict do nothing`.execute(db);
  }
}

/**
 * Says that this server is alive; one whose row was deleted registers again. Returns whether it
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

/** Keeps what became of the self-test of this server; nothing when it is switched off. */
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

/** Says that this server has stopped. */
export async function leave(db: Db, { holder }: Pick<TerminalFacts, 'holder'>): Promise<void> {
  await sql`update terminal set date_heartbeat = null where holder = ${holder}`.execute(db);
}

/**
 * The load of the last minute for each processor; work that waits counts, so it may be above 100.
 */
function loadPercent(): number {
  return Math.round(((loadavg()[0] ?? 0) / availableParallelism()) * 100);
}

/**
 * The first address that other machines can reach; that of the machine itself where there is none.
 */
function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((one) => one ?? []);
  const outside = all.filter(({ internal, address }) => !internal && !address.startsWith('fe80:'));
  return (outside.find(({ family }) => family === 'IPv4') ?? outside[0])?.address ?? '127.0.0.1';
}

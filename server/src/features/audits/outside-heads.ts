import { CHAINED_LOGS, type ChainedLog } from '@sallyport/contract';
import type { Db, Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import type { ChainVerdict } from './chain.ts';
import { digestsOf } from './chain-breaks.ts';
import { type DatabaseInstance, instanceOf, inWords, isAnother } from './database-instance.ts';
import {
  type DeclaredFailover,
  declareFailover,
  endsBefore,
  type Heads,
  readFailovers,
} from './failovers.ts';
import { readRestores } from './restores.ts';

/** The newest rows of the logs, as a place outside of the logs keeps them. */
export interface OutsideHeads {
  readonly place: 'bucket' | 'witness';
  /** Name of the storage, or of the authority. */
  readonly name: string;
  readonly heads: Heads;
  /** The time of these rows. */
  readonly date: Date;
  /** The server that saw them, and its database. Undefined for statements. */
  readonly seen?: {
    readonly server: string;
    readonly epoch: string;
    readonly instance: DatabaseInstance | null;
  };
}

/** A place that could not be read now, or that holds nothing that this installation signed. */
export interface UnreadHeads {
  readonly place: OutsideHeads['place'];
  readonly name: string;
  readonly state: 'unread' | 'other';
  readonly problem: string;
}

export type OutsidePlace = OutsideHeads | UnreadHeads;

/** Separates the places whose rows are known from the others. */
export function byReading(places: readonly OutsidePlace[]) {
  const isRead = (place: OutsidePlace): place is OutsideHeads => 'heads' in place;
  return {
    read: places.filter(isRead),
    unread: places.filter((place): place is UnreadHeads => !isRead(place)),
  };
}

/** The result of comparing the logs with a place. */
export interface OutsideVerdict {
  readonly place: OutsideHeads['place'];
  readonly name: string;
  /** The server whose rows these are. Empty for a witness, and for a place that was not read. */
  readonly server: string;
  /** Null for a place that was not read. */
  readonly date: Date | null;
  /**
   * `missing`: the logs lack rows, or others have their numbers. `failover`: they went with a
   * declared failover. `other`: they belong to another state, before a restore or of a copy.
   */
  readonly state: 'present' | 'missing' | 'failover' | 'other' | 'unread';
  /** The reason if a place was not read or not compared. */
  readonly problem: string;
}

/** A log without the rows of a place. */
export interface LackingLog {
  readonly log: ChainedLog;
  /** First possible row of the gap. */
  readonly from: number;
}

/** The rows of a place, the logs that lack them, and the explanation. */
export interface ComparedHeads {
  readonly outside: OutsideHeads;
  readonly state: Exclude<OutsideVerdict['state'], 'unread'>;
  readonly lacking: readonly LackingLog[];
}

interface End {
  readonly log: ChainedLog;
  readonly sequence: number;
  readonly removed: number;
}

/** Returns the logs that lack rows of each place. */
async function lackingOf(tx: Tx, places: readonly OutsideHeads[]): Promise<LackingLog[][]> {
  const { rows } = await sql<End>`
    select log, sequence, removed_sequence as removed from audit_chain`.execute(tx);
  const lacking: LackingLog[][] = places.map(() => []);
  for (const log of CHAINED_LOGS) {
    const end = rows.find((one) => one.log === log) ?? { sequence: 0, removed: 0 };
    const heads = places.map(({ heads: of }) => of[log]);
    const digests = await digestsOf(tx, log, [
      ...new Set(heads.flatMap((head) => head?.sequence ?? [])),
    ]);
    for (const [index, head] of heads.entries()) {
      if (!head || head.sequence <= end.removed) continue;
      if (digests.get(head.sequence) !== head.digest)
        lacking[index]?.push({ log, from: Math.min(head.sequence, end.sequence + 1) });
    }
  }
  return lacking;
}

/** Returns true if a failover took away the rows that logs lack, as the operate log declares it. */
const isDeclared = (
  failovers: readonly DeclaredFailover[],
  { seen, heads }: OutsideHeads,
  lacking: readonly LackingLog[],
): boolean =>
  failovers.some(
    ({ before, to }) =>
      seen?.instance &&
      before === inWords(seen.instance) &&
      lacking.every(({ log }) => (to[log]?.sequence ?? 0) < (heads[log]?.sequence ?? 0)),
  );

/** Declares a failover that took away the rows of a place, unless the operate log has it. */
export const declareOutsideFailover = (
  db: Db,
  instances: { readonly before: DatabaseInstance; readonly after: DatabaseInstance },
  { outside, lacking }: Pick<ComparedHeads, 'outside' | 'lacking'>,
): Promise<boolean> =>
  db.transaction(async (tx) => {
    // Another server may be declaring the same one.
    await sql`select from audit_chain where log = 'operate_log' for update`.execute(tx);
    if (isDeclared(await readFailovers(tx), outside, lacking)) return false;
    const from = Object.fromEntries(lacking.map(({ log }) => [log, outside.heads[log]]));
    await declareFailover(tx, instances, { from, to: await endsBefore(tx, from) });
    return true;
  });

/** Compares the logs with the rows of places outside of them, in one state of the database. */
export function compareOutside(
  db: Db,
  places: readonly OutsideHeads[],
): Promise<readonly ComparedHeads[]> {
  return db.transaction(
    async (tx) => {
      const instance = await instanceOf(tx);
      const lacking = await lackingOf(tx, places);
      const { rows } = await sql<{ epoch: string; servers: readonly string[] }>`
        select (select id from database_epoch)::text as epoch,
          coalesce((select array_agg(holder) from terminal), '{}') as servers`.execute(tx);
      const [{ epoch, servers } = { epoch: '', servers: [] }] = rows;
      // Both read the whole operate log, so only for a difference.
      const hasOtherEpoch = places.some(({ seen }) => seen && seen.epoch !== epoch);
      const isRestored = hasOtherEpoch && (await readRestores(tx)).length > 0;
      const failovers = lacking.some(({ length }) => length > 0) ? await readFailovers(tx) : [];
      // A database takes another epoch only by a restore, which the operate log declares. A copy
      // of the database may use the same bucket, with servers that are unknown here.
      const isOther = ({ seen }: OutsideHeads) => {
        if (!seen) return false;
        const isCopy = instance && seen.instance && instance.system !== seen.instance.system;
        return seen.epoch === epoch && !isCopy
          ? false
          : (seen.epoch !== epoch && isRestored) || !servers.includes(seen.server);
      };
      const isFailover = (outside: OutsideHeads, logs: readonly LackingLog[]) =>
        outside.seen?.instance &&
        instance &&
        isAnother(outside.seen.instance, instance) &&
        isDeclared(failovers, outside, logs);
      return places.map((outside, index) => {
        const logs = lacking[index] ?? [];
        const state = isOther(outside)
          ? 'other'
          : logs.length === 0
            ? 'present'
            : isFailover(outside, logs)
              ? 'failover'
              : 'missing';
        return { outside, state, lacking: logs };
      });
    },
    { isolation: 'repeatable read' },
  );
}

/** Statements of a witness are one place: its first problem, or its newest statement. */
const firstOf = (compared: readonly ComparedHeads[]) => {
  const statements = compared.filter(({ outside }) => outside.place === 'witness');
  const one = statements.find(({ state }) => state === 'missing') ?? statements.at(-1);
  return [...(one ? [one] : []), ...compared.filter(({ outside }) => outside.place !== 'witness')];
};

/** Describes the results for a report. */
export const outsideVerdicts = (
  compared: readonly ComparedHeads[],
  unread: readonly UnreadHeads[],
): readonly OutsideVerdict[] => [
  ...firstOf(compared).map(({ outside: { place, name, date, seen }, state }) => ({
    place,
    name,
    server: seen?.server ?? '',
    date,
    state,
    problem: '',
  })),
  ...unread.map((one) => ({ ...one, server: '', date: null })),
];

/** Adds the rows that places outside of the logs prove to be missing. */
export const withMissing = (
  verdicts: readonly ChainVerdict[],
  compared: readonly ComparedHeads[],
): ChainVerdict[] =>
  verdicts.map((verdict) => {
    const places = compared.flatMap(({ state, lacking }) =>
      state === 'missing' ? lacking.filter(({ log }) => log === verdict.log) : [],
    );
    const from = Math.min(...places.map((one) => one.from));
    return places.length === 0 || (verdict.first_break ?? Infinity) <= from
      ? verdict
      : { ...verdict, first_break: from, last_break: from };
  });

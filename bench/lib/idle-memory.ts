import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchServer } from './server.ts';

const SETTLING_MS = 10_000;

interface Idle<Opened> {
  readonly server: BenchServer;
  readonly count: number;
  readonly atOnce?: number;
  /** Opens one; `number` counts from 0. */
  readonly open: (number: number) => Promise<Opened>;
  /** Takes each that is open, so that the caller can close those of a run that breaks off. */
  readonly into: Opened[];
  /** Says how far it is, four times. */
  readonly say?: (line: string) => void;
}

interface IdleMemory {
  /** Resident memory of the server, in MiB. */
  readonly whole: number;
  /** Its growth for each session, in KiB. */
  readonly each: number;
  /** The growth for each at the time of the call. */
  readonly eachNow: () => number;
}

/**
 * Opens `count` sessions and measures the memory of the server with them. Load the code that all
 * sessions share before.
 */
export async function memoryOfIdle<Opened>({
  server,
  count,
  atOnce = 1,
  open,
  into,
  say,
}: Idle<Opened>): Promise<IdleMemory> {
  await sleep(SETTLING_MS);
  const before = server.memory();
  while (into.length < count) {
    into.push(
      ...(await Promise.all(
        Array.from({ length: Math.min(atOnce, count - into.length) }, (_, index) =>
          open(into.length + index),
        ),
      )),
    );
    if (into.length % (count / 4) === 0)
      say?.(`  ${into.length} open, memory ${server.memory().toFixed(0)} MiB`);
  }
  await sleep(SETTLING_MS);
  const whole = server.memory();
  const each = () => ((server.memory() - before) / count) * 1024;
  return { whole, each: each(), eachNow: each };
}

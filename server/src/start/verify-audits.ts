import type { ChainedLog } from '@sallyport/contract';
import { readConfig } from '../config.ts';
import {
  type OutsideVerdict,
  readFailovers,
  readRestores,
  type SessionProblem,
  sessionWords,
  sm3Words,
} from '../features/audits/index.ts';
import type { Call } from './command-words.ts';
import { openVerifier, withDatabase } from './with-database.ts';

const PROBLEMS: Readonly<Record<SessionProblem, string>> = {
  session_missing: 'its row was REMOVED',
  session_changed: 'its row or its commands were CHANGED',
  recording_missing: 'its recording is MISSING',
  recording_changed: 'its recording was CHANGED',
  recording_unreadable: 'its recording could not be read',
  commands_unreadable: 'its commands could not be read',
};

const OUTSIDE: Readonly<Record<OutsideVerdict['state'], string>> = {
  present: 'all are in the logs',
  missing: 'some are MISSING from the logs',
  failover: 'some went with a declared failover',
  other: 'not compared, they belong to another state or a copy of the database',
  unread: 'not read, to be compared again',
};

function outsideWords({ place, name, server, date, state, problem }: OutsideVerdict): string {
  const where = place === 'bucket' ? `the storage ${name}` : `the witness ${name}`;
  const whose = server === '' ? '' : `, of the server ${server}`;
  const seen = date ? `, of ${date.toISOString()}` : '';
  const reason = problem === '' ? '' : ` (${problem})`;
  return `newest rows in ${where}${whose}${seen}: ${OUTSIDE[state]}${reason}`;
}

/** Verifies the chains of the logs and the digests of sessions, and prints the results. */
export async function verifyAudits(call: Call): Promise<number> {
  const config = readConfig(call.environment, call.all);
  const { intact, logs, sessions, outside, restores, failovers } = await withDatabase(
    config,
    async ({ db }) => ({
      ...(await (await openVerifier(db, config)).verify('Command line')),
      restores: await readRestores(db),
      failovers: await readFailovers(db),
    }),
  );
  for (const { log, rows, removed, first_break: first, last_break: last, sm3 } of logs) {
    const before = removed > 0 ? `, ${removed} removed by retention before them` : '';
    const kept = `${rows} rows${before}${sm3 ? sm3Words(sm3, removed) : ''}`;
    const place =
      first === last
        ? `at row ${first}`
        : `between row ${first} and row ${last}; the chain was recomputed`;
    call.print(
      first === null ? `${log}: intact (${kept})\n` : `${log}: BROKEN ${place} (${kept})\n`,
    );
  }
  for (const { date, backup, heads } of restores) {
    const ends = Object.entries(heads).map(
      ([log, { sequence, digest }]) => `${log} ${sequence} ${digest}`,
    );
    call.print(
      `restored at ${date.toISOString()} from the backup of ${backup}, a declared step back: later rows of the state that was left are not here. The logs continued after ${ends.join(', ')}\n`,
    );
  }
  for (const { date, from, to } of failovers) {
    const steps = Object.entries(from).map(
      ([log, { sequence }]) => `${log} from ${sequence} to ${to[log as ChainedLog]?.sequence ?? 0}`,
    );
    call.print(
      `the database went back at ${date.toISOString()}, a declared failover: a standby took over that lacked the newest rows. The logs went back: ${steps.join(', ')}\n`,
    );
  }
  for (const one of outside) call.print(`${outsideWords(one)}\n`);
  for (const { session, problem } of sessions.broken)
    call.print(`session ${session}: ${PROBLEMS[problem]}\n`);
  if (sessions.repaired > 0)
    call.print(
      `sessions: ${sessions.repaired} early digests of an earlier version are declared in the operate log\n`,
    );
  if (sessions.wrong > sessions.broken.length)
    call.print(`and ${sessions.wrong - sessions.broken.length} more sessions\n`);
  call.print(`sessions and recordings: ${sessionWords(sessions)} (${sessions.checked} compared)\n`);
  return intact ? 0 : 2;
}

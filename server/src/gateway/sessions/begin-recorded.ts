import { ERRORS, say } from '@sallyport/contract';
import type { CommandRecord } from '../../platform/command-record.ts';
import type { Recordings } from '../../platform/storage/recordings.ts';
import { within } from '../../platform/within.ts';
import { GUARD_MS } from '../limits.ts';
import type { ExecVerdict, Guard } from '../ports/guard.ts';
import type { NewSession } from '../ports/records.ts';
import type { GatewayPorts } from '../ports.ts';
import type { RecordingOptions } from '../recorder/recording-pace.ts';
import { Refusal } from '../refusal.ts';
import { diskProblemOf } from './disk-problem.ts';
import type { Session, SessionParts } from './session.ts';
import type { RefusedLine } from './terminal/gated-terminal.ts';

const MAX_INPUT = 4096;

/** The command-log entry of a command that the client sends whole, at sequence 0. */
export function recordOf(command: string, output = ''): CommandRecord {
  return { sequence: 0, input: command.slice(0, MAX_INPUT), output, at: 0 };
}

/**
 * Asks the guard about a command that the client sends whole, before it starts. Returns the command
 * to run, which the guard may have rewritten. Logs a rejected command.
 * @throws Refusal
 */
export async function checkWhole(
  command: string,
  session: NewSession,
  { guard, log, sessions }: GatewayPorts,
): Promise<string> {
  if (!guard && session.grant.systemUser.allowedCommands !== undefined)
    throw new Refusal('account_enforced');
  if (!guard) return command;
  const decision = await decideUnasked(guard, command, session, log);
  if (decision.kind === 'allow') return decision.command;
  const { message, verdict } = decision;
  await sessions.addCommands(session.id, [
    { ...recordOf(command, message), isRefused: true, ...(verdict && { verdict }) },
  ]);
  throw new Refusal('command_refused', { message });
}

/** The decision on a command that no question can confirm. */
export type UnaskedVerdict =
  | Extract<ExecVerdict, { readonly kind: 'allow' }>
  | (Pick<RefusedLine, 'message' | 'verdict'> & { readonly kind: 'deny' });

/** Like {@link decide}, and denies a command that a rule asks about. */
export async function decideUnasked(
  guard: Guard,
  command: string,
  session: NewSession,
  log: GatewayPorts['log'],
): Promise<UnaskedVerdict> {
  const decision = await decide(guard, command, session, log);
  if (decision.kind === 'allow' || decision.kind === 'deny') return decision;
  const { message } = decision;
  return {
    kind: 'deny',
    message: say(ERRORS.command_asks, session.person.language, { message }),
    verdict: 'unasked',
  };
}

/** Use with `within`. */
export const guardIsLate = (): never => {
  throw new Error('the guard did not answer in time');
};

/** Asks the guard about a command. A guard that fails or times out denies the command. */
export async function decide(
  guard: Guard,
  command: string,
  session: NewSession,
  log: GatewayPorts['log'],
): Promise<ExecVerdict> {
  try {
    return await within(guard.beforeExec(command, session), GUARD_MS, guardIsLate);
  } catch (error) {
    log.error(
      { session: session.id, err: error },
      'a command could not be checked and was refused',
    );
    return { kind: 'deny', message: say(ERRORS.command_not_checked, session.person.language) };
  }
}

const MEBIBYTE = 1024 * 1024;

/** A session that pauses its target while the recording falls behind. */
interface Recorded extends Session {
  /** Resumes the target: the recording has caught up. Absent for kinds that never pause. */
  recorderDrained?(): void;
}

/**
 * Starts a session together with its recording, and ends the session if the recording fails. `make`
 * starts the recorder and builds the session.
 * @throws Refusal when the recording cannot be created
 */
export async function beginRecorded<Begun extends Recorded>(
  { row, ports, limits }: SessionParts,
  recordings: Recordings,
  make: (options: RecordingOptions) => Promise<Begun>,
): Promise<Begun> {
  let session: Begun | undefined;
  try {
    session = await make({
      recordings,
      sessionId: row.id,
      startedAt: row.dateStart,
      title: `${row.account}@${row.grant.asset.hostname}`,
      onFailure: (error) => {
        ports.log.error(
          { session: row.id, err: error },
          'a recording could not be written; the session ends',
        );
        session?.end(diskProblemOf(error));
      },
      onDrain: () => session?.recorderDrained?.(),
      onFull: () =>
        session?.end('session_recording_full', {
          megabytes: Math.round(limits.recordingBytes / MEBIBYTE),
        }),
      maxBytes: limits.recordingBytes,
      bytesPerSecond: limits.recordingBytesPerSecond,
      burstBytes: limits.recordingBurstBytes,
    });
    return session;
  } catch (error) {
    ports.log.error(
      { session: row.id, err: error },
      'a recording could not be created; the session is refused',
    );
    throw new Refusal(diskProblemOf(error));
  }
}

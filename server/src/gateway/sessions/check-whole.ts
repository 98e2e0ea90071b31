import { ERRORS, say } from '@sallyport/contract';
import type { CommandRecord } from '../../platform/command-record.ts';
import { GUARD_MS } from '../limits.ts';
import type { ExecVerdict, Guard } from '../ports/guard.ts';
import type { NewSession } from '../ports/records.ts';
import type { GatewayPorts } from '../ports.ts';
import { Refusal } from '../refusal.ts';

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
  const verdict = await decide(guard, command, session, log);
  if (verdict.kind === 'allow') return verdict.command;
  await sessions.addCommands(session.id, [
    { ...recordOf(command, verdict.message), isRefused: true },
  ]);
  throw new Refusal('command_refused', { message: verdict.message });
}

/** Asks the guard about a command. A guard that fails or times out denies the command. */
export async function decide(
  guard: Guard,
  command: string,
  session: NewSession,
  log: GatewayPorts['log'],
): Promise<ExecVerdict> {
  let timer: NodeJS.Timeout | undefined;
  try {
    const late = new Promise<never>((_done, failed) => {
      timer = setTimeout(() => failed(new Error('the guard did not answer in time')), GUARD_MS);
    });
    return await Promise.race([guard.beforeExec(command, session), late]);
  } catch (error) {
    log.error(
      { session: session.id, err: error },
      'a command could not be checked and was refused',
    );
    return { kind: 'deny', message: say(ERRORS.command_not_checked, session.person.language) };
  } finally {
    clearTimeout(timer);
  }
}

import type { Charset, Problem } from '@sallyport/contract';
import { decodeText } from '../../charsets.ts';
import type { Connection, TargetExec, TargetExit } from '../../protocols/connector.ts';
import { problemOf } from '../../refusal.ts';
import { execOpener } from '../../sessions/exec/open-exec.ts';
import { AgentClient } from './agent-client.ts';
import { type AgentCall, openLeashed, type Surroundings } from './open-leashed.ts';

/** A command of an agent. */
export interface AgentCommand extends AgentCall {
  readonly line: string;
}

/** The result of a command that an agent ran. Texts are masked like the command log. */
export interface AgentResult {
  readonly output: string;
  readonly errors: string;
  readonly bytes: number;
  readonly isCut: boolean;
  readonly exit: TargetExit | undefined;
  /** True if the target accepted the command. */
  readonly hasRun: boolean;
  /** The reason for which it did not run, or was stopped. */
  readonly problem: Problem | undefined;
}

/**
 * Runs a command of an agent as a recorded session of its owner, with the checks of any session and
 * those of the leash. Never throws.
 */
export async function runAgentCommand(
  command: AgentCommand,
  surroundings: Surroundings,
): Promise<AgentResult> {
  const client = new AgentClient(command.room);
  const { ports, recordings } = surroundings;
  const opener = execOpener({ client, request: { command: command.line }, recordings });
  let mask = (text: string, _isCut: boolean): string => text;
  let charset: Charset = 'utf8';
  let problem: Problem | undefined;
  try {
    const session = await openLeashed(command, surroundings, {
      request: { protocol: 'ssh' },
      client,
      opener: {
        ...opener,
        async begin(parts) {
          client.session = await opener.begin(parts);
          return client.session;
        },
        open: (opened, connection, account) => opener.open(opened, killing(connection), account),
      },
      onParts({ capture, row }) {
        mask = capture.text;
        charset = row.grant.asset.charset;
      },
    });
    await session.ended;
    problem = client.problem;
  } catch (error) {
    problem = problemOf(error);
    if (problem.code === 'internal') ports.log.error({ err: error }, 'a call of an agent failed');
  }
  const { output, errors, isCut } = client.collected;
  const text = (bytes: Buffer) => mask(decodeText(bytes, charset), isCut);
  return {
    output: text(output),
    errors: text(errors),
    bytes: output.length + errors.length,
    isCut,
    exit: client.exit,
    hasRun: client.sessionId !== undefined,
    problem,
  };
}

/**
 * A connection whose command is killed when its session ends early: OpenSSH passes the signal on to
 * the process group. Closing the channel alone leaves a silent command running.
 */
function killing(connection: Connection): Connection {
  const { openExec } = connection;
  if (!openExec) return connection;
  return {
    close: () => connection.close(),
    async openExec(request, events) {
      let hasExited = false;
      const target = await openExec.call(connection, request, {
        ...events,
        onExit(exit) {
          hasExited = true;
          events.onExit(exit);
        },
      });
      const killed: TargetExec = {
        write: (chunk) => target.write(chunk),
        finishInput: () => target.finishInput(),
        signal: (name) => target.signal(name),
        pause: () => target.pause(),
        resume: () => target.resume(),
        close() {
          if (!hasExited) target.signal('KILL');
          target.close();
        },
      };
      return killed;
    },
  };
}

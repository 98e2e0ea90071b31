import type { Charset, Problem } from '@sallyport/contract';
import type { Recordings } from '../../../platform/storage/recordings.ts';
import { decodeText } from '../../charsets.ts';
import type { Hub } from '../../hub.ts';
import type { Person } from '../../ports/people.ts';
import type { GatewayPorts } from '../../ports.ts';
import type { Connection, TargetExec, TargetExit } from '../../protocols/connector.ts';
import { problemOf } from '../../refusal.ts';
import { execOpener } from '../../sessions/exec/open-exec.ts';
import { openFor } from '../open-for.ts';
import { AgentClient } from './agent-client.ts';
import { type LeashTerms, leashedPorts } from './leashed-ports.ts';

/** A command of an agent. */
export interface AgentCommand {
  readonly person: Person & { readonly loginId: string };
  readonly leash: LeashTerms;
  readonly assetId: string;
  readonly systemUserId: string;
  readonly line: string;
  /** Maximum bytes of output that are kept. */
  readonly room: number;
  /** Aborts the command: its reason has the code that ends the session. */
  readonly signal: AbortSignal;
  /** Called once the row of the session exists. */
  readonly onSession: (id: string) => void;
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

/** The parts of the gateway that carry the calls of agents. */
export interface Surroundings {
  readonly ports: GatewayPorts;
  readonly hub: Hub;
  readonly recordings: Recordings;
}

/**
 * Runs a command of an agent as a recorded session of its owner, with the checks of any session and
 * those of the leash. Never throws.
 */
export async function runAgentCommand(
  { person, leash, assetId, systemUserId, line, room, signal, onSession }: AgentCommand,
  { ports, hub, recordings }: Surroundings,
): Promise<AgentResult> {
  const client = new AgentClient(room);
  const opener = execOpener({ client, request: { command: line }, recordings });
  let mask = (text: string, _isCut: boolean): string => text;
  let charset: Charset = 'utf8';
  let problem: Problem | undefined;
  try {
    const session = await openFor({
      ports: leashedPorts(ports, leash),
      hub,
      person,
      request: { assetId, systemUserId, protocol: 'ssh' },
      client,
      opener: {
        ...opener,
        async begin(parts) {
          mask = parts.capture.text;
          charset = parts.row.grant.asset.charset;
          onSession(parts.row.id);
          client.session = await opener.begin(parts);
          return client.session;
        },
        open: (opened, connection, account) => opener.open(opened, killing(connection), account),
      },
      onBegin(controller) {
        const abort = () => controller.abort(signal.reason);
        signal.addEventListener('abort', abort, { once: true });
        if (signal.aborted) abort();
      },
    });
    const end = () => {
      const { code, params } = problemOf(signal.reason);
      session.end(code, params);
    };
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
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

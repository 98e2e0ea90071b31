import type { Recordings } from '../../../platform/storage/recordings.ts';
import type { Hub } from '../../hub.ts';
import type { Grant } from '../../ports/grant.ts';
import type { Person } from '../../ports/people.ts';
import type { PodCommandPlan } from '../../ports/pods.ts';
import type { GatewayPorts } from '../../ports.ts';
import type { ChannelEvents, Channels } from '../../protocols/kubernetes/channels.ts';
import { isClusterConnection } from '../../protocols/kubernetes/connect.ts';
import { podConnection } from '../../protocols/kubernetes/pod-connection.ts';
import { ClusterAnswer } from '../../protocols/kubernetes/remote-command.ts';
import { Refusal } from '../../refusal.ts';
import { identityHeaders } from '../../sessions/cluster/cluster-session.ts';
import { execOpener } from '../../sessions/exec/open-exec.ts';
import type { SessionOpener } from '../../sessions/open-session.ts';
import type { Session } from '../../sessions/session.ts';
import type { SessionClient } from '../../sessions/session-client.ts';
import { type TerminalOpening, terminalOpener } from '../../sessions/terminal/open-terminal.ts';
import type { TerminalSession } from '../../sessions/terminal/terminal-session.ts';
import { openFor } from '../open-for.ts';
import { PodExec } from './pod-exec.ts';
import { PodTerminal } from './pod-terminal.ts';

/** The user, the target and the plan of a command at a pod. */
export interface PodOpening extends PodCommandPlan {
  readonly person: Person & { readonly loginId: string };
  readonly clusterId: string;
  readonly systemUserId: string;
  /** Aborts when the client leaves before it is accepted. */
  readonly signal: AbortSignal;
}

/** A command at a pod that a user of a kubeconfig runs. */
export interface PodVisit extends PodOpening {
  /** Accepts the client and opens its streams. */
  readonly accept: (events: ChannelEvents) => Promise<Channels>;
}

/** The parts of the gateway that carry commands at pods. */
export interface Surroundings {
  readonly ports: GatewayPorts;
  readonly hub: Hub;
  readonly recordings: Recordings;
}

const SIZE = { cols: 80, rows: 24 };
const TIMEOUT_MS = 30_000;

/** Limits the ports to grants that still allow the command: others end its session. */
function portsFor(ports: GatewayPorts, identify: PodOpening['identify']): GatewayPorts {
  const { access, openings } = ports;
  const allowed = (grant: Grant): Grant => {
    try {
      identify(grant.cluster?.rules ?? []);
    } catch {
      throw new Refusal('connect_denied');
    }
    return grant;
  };
  return {
    ...ports,
    access: { ...access, check: async (...target) => allowed(await access.check(...target)) },
    ...(openings && {
      openings: {
        async read(...target) {
          const opening = await openings.read(...target);
          if (opening) allowed(opening.grant);
          return opening;
        },
      },
    }),
  };
}

/** The client of a command, which learns of its session before anything runs. */
interface PodSessionClient<Opened extends Session> {
  readonly client: SessionClient;
  readonly onBegin: (session: Opened) => void;
}

/** Opens the session and runs the command. @throws Refusal */
export async function openPodSession<Opened extends Session>(
  visit: PodOpening,
  { ports, hub }: Pick<Surroundings, 'ports' | 'hub'>,
  { client, onBegin }: PodSessionClient<Opened>,
  opener: SessionOpener<Opened>,
): Promise<Opened> {
  const { person, clusterId, systemUserId, path, choice, identify, signal } = visit;
  return openFor({
    ports: portsFor(ports, identify),
    hub,
    person,
    request: { assetId: clusterId, kind: 'cluster', systemUserId, protocol: 'kubernetes' },
    client,
    opener: {
      ...opener,
      async begin(parts) {
        const session = await opener.begin(parts);
        onBegin(session);
        return session;
      },
      async open(session, connection, account) {
        const { grant } = session.row;
        if (!isClusterConnection(connection))
          throw new Refusal('connect_protocol', { protocol: grant.systemUser.protocol });
        // A command closes its own stream only.
        void session.ended.then(() => connection.close());
        await visit.onSession(session.row.id);
        const { api } = connection;
        const identity = identify(grant.cluster?.rules ?? []);
        const command = {
          async dial() {
            const stream = await api.dial(signal);
            // A slow API server must not hold the place of a client that has left.
            signal.addEventListener('abort', () => stream.destroy(), { once: true });
            return stream;
          },
          path,
          choice,
          line: visit.line,
          headers: {
            host: api.host,
            authorization: api.authorization,
            ...identityHeaders(identity),
          },
          timeoutMs: TIMEOUT_MS,
        };
        try {
          await opener.open(session, podConnection(connection, command), account);
        } catch (error) {
          if (!(error instanceof ClusterAnswer)) throw error;
          const { status, message } = error;
          throw new Refusal('connect_cluster_refused', { status, message });
        }
      },
    },
    onBegin(controller) {
      const abort = () => controller.abort(new Refusal('session_finished'));
      signal.addEventListener('abort', abort, { once: true });
      if (signal.aborted) abort();
    },
  });
}

/**
 * Runs a command at a pod as a recorded session: a terminal if the client has one. Resolves when
 * the client is accepted; the session continues. @throws Refusal, before the client is accepted
 */
export async function runPodCommand(
  visit: PodVisit,
  parts: Surroundings,
): Promise<{ readonly ended: Promise<void> }> {
  const { person, choice, line } = visit;
  const { recordings } = parts;
  let client: PodTerminal | PodExec;
  let session: Session;
  if (choice.tty) {
    const terminal = new PodTerminal(person.language);
    client = terminal;
    session = await openPodSession(
      visit,
      parts,
      { client: terminal, onBegin: (begun) => (terminal.session = begun) },
      podTerminalOpener(visit, { client: terminal, size: SIZE, recordings }),
    );
  } else {
    const exec = new PodExec(person.language);
    client = exec;
    session = await openPodSession(
      visit,
      parts,
      { client: exec, onBegin: (begun) => (exec.session = begun) },
      execOpener({ client: exec, request: { command: line }, recordings }),
    );
  }
  try {
    client.attach(await visit.accept(client));
  } catch (error) {
    session.end('session_finished');
    throw error;
  }
  endTogether(visit.isOver, session);
  return { ended: session.ended };
}

/** Opens a terminal at a pod: a shell whose lines are judged, or a command judged as a whole. */
export function podTerminalOpener(
  { line, isShell }: Pick<PodOpening, 'line' | 'isShell'>,
  opening: TerminalOpening,
): SessionOpener<TerminalSession> {
  const size = { ...opening.size, ...(!isShell && { command: line }) };
  const opener = terminalOpener({ ...opening, size });
  return {
    ...opener,
    async open(opened, connection, account) {
      if (isShell && line !== undefined) await sameLine(line, opened.commands.checkWhole(line));
      await opener.open(opened, connection, account);
    },
  };
}

/** Ends a command with the session around it, which keeps no ended one in memory. */
export function endTogether(isOver: Promise<void>, session: Session): void {
  const running = { session: session as Session | undefined };
  void session.ended.then(() => {
    running.session = undefined;
  });
  void isOver.then(() => running.session?.end('session_cluster_token'));
}

/** Refuses a command that a rule rewrites: a pod runs words, not a line. @throws Refusal */
async function sameLine(line: string, decided: Promise<string>): Promise<void> {
  if ((await decided) !== line) throw new Refusal('connect_cluster_command');
}

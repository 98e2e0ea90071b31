import type { ApprovalProgress, ConnectStage, Problem } from '@sallyport/contract';
import { RELAY_HOLD_SECONDS } from '../../limits.ts';
import type { Connection, Connector } from '../../protocols/connector.ts';
import { isFault, openingProblemOf, Refusal, wordProblem } from '../../refusal.ts';
import type {
  DatabaseClient,
  DatabaseConnection,
} from '../../sessions/database/database-client.ts';
import type { DatabaseSession } from '../../sessions/database/database-session.ts';
import { databaseOpener } from '../../sessions/database/open-database.ts';
import { isLogFailure } from '../../sessions/disk-problem.ts';
import { openFor } from '../open-for.ts';
import type { Arrival } from './listener.ts';
import type { LivePassword } from './ports.ts';

/**
 * The client side of a session from a database client program. It cannot ask the user, so it
 * rejects all questions.
 */
class ListenerClient implements DatabaseClient {
  private readonly onClosed: (problem: Problem) => void;
  private readonly onNotice: (problem: Problem) => void;

  constructor(onClosed: (problem: Problem) => void, onNotice: (problem: Problem) => void) {
    this.onClosed = onClosed;
    this.onNotice = onNotice;
  }

  notice(problem: Problem): void {
    this.onNotice(problem);
  }

  readonly waitSeconds = RELAY_HOLD_SECONDS;

  stage(stage: ConnectStage, _host?: string, progress?: ApprovalProgress): void {
    if (stage !== 'approval') return;
    this.onNotice(
      progress
        ? { code: 'notice_approval_stage', params: { ...progress } }
        : { code: 'notice_approval_waits' },
    );
  }

  opened(): void {}

  askCredentials(): Promise<never> {
    return Promise.reject(new Refusal('database_manual'));
  }

  closed(problem: Problem): void {
    this.onClosed(problem);
  }
}

/** The session of a signed-in client, with the part of its protocol. */
interface ClientSession {
  readonly password: LivePassword;
  readonly protocol: 'mysql' | 'postgresql';
  readonly connector: Connector;
  /** Starts the relay. @throws Refusal */
  open(session: DatabaseSession, connection: Connection): Promise<DatabaseConnection>;
  /**
   * Stops the relay, if one was started. The message is undefined for an end that the client
   * knows. `isLogFailed`: the recording failed.
   */
  closed(message: string | undefined, isLogFailed: boolean): void;
  /** Shows a notice while the session runs. Absent if the protocol has none. */
  notice?(message: string): void;
  /** Rejects a session that did not open, and ends the stream. */
  refuse(message: string): void;
}

/** Opens the session of a signed-in client and waits for its end. */
export async function serveClient(
  { context, remoteAddress, signal }: Arrival,
  { password, protocol, connector, open, closed, notice, refuse }: ClientSession,
): Promise<void> {
  const { ports, hub, recordings, passwords } = context;
  const { person } = password;
  const word = (problem: Problem) => wordProblem(problem, person.language);
  const client = new ListenerClient(
    (problem) =>
      closed(
        problem.code === 'session_finished' || problem.code.startsWith('connect_target')
          ? undefined
          : word(problem),
        isLogFailure(problem.code),
      ),
    (problem) => notice?.(word(problem)),
  );
  try {
    await passwords.used(password.id, remoteAddress);
    const session = await openFor({
      ports,
      hub,
      person,
      request: {
        assetId: password.databaseId,
        kind: 'database_app',
        systemUserId: password.systemUserId,
        protocol,
      },
      client,
      connectors: [connector],
      opener: databaseOpener({ client, recordings, open }),
      onBegin: (controller) =>
        signal.addEventListener('abort', () => controller.abort(signal.reason), { once: true }),
    });
    await session.ended;
  } catch (error) {
    const problem = await openingProblemOf(error, ports.databaseAnswers);
    if (isFault(problem) && !signal.aborted)
      ports.log.error({ err: error }, 'a session of a database could not be opened');
    refuse(word(problem));
  }
}

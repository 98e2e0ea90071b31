import type { Hub } from '../hub.ts';
import type { Person } from '../ports/people.ts';
import type { GatewayPorts } from '../ports.ts';
import type { Connector } from '../protocols/connector.ts';
import { openingProblemOf, problemOf, Refusal } from '../refusal.ts';
import type { ConnectionRequest } from '../sessions/dial.ts';
import { openSession, type SessionOpener } from '../sessions/open-session.ts';
import type { Session } from '../sessions/session.ts';
import type { SessionClient } from '../sessions/session-client.ts';

/** A request for a session from any listener. */
export interface OpenRequest<Opened extends Session> {
  readonly ports: GatewayPorts;
  readonly hub: Hub;
  readonly person: Person;
  readonly request: ConnectionRequest;
  readonly client: SessionClient;
  readonly opener: SessionOpener<Opened>;
  /** Available connectors; all by default. */
  readonly connectors?: readonly Connector[];
  /** Called at the start with a controller that cancels the attempt. */
  readonly onBegin: (controller: AbortController) => void;
}

/**
 * Opens a session within the user's limit and adds it to the hub. @throws Refusal, or an unexpected
 * error
 */
export async function openFor<Opened extends Session>(
  openRequest: OpenRequest<Opened>,
): Promise<Opened> {
  const { ports } = openRequest;
  if (ports.isAccepting?.() === false) throw new Refusal('session_server_retired');
  try {
    return await openWithinLimit(openRequest);
  } catch (error) {
    // A fault with its own sentence is no outage, even if this server cannot reach the database.
    if (problemOf(error).code !== 'internal') throw error;
    const { code } = await openingProblemOf(error, ports.databaseAnswers);
    if (code === 'internal') throw error;
    ports.log.warn({ err: error }, 'a session was refused: the database does not answer');
    throw new Refusal(code);
  }
}

async function openWithinLimit<Opened extends Session>(
  openRequest: OpenRequest<Opened>,
): Promise<Opened> {
  const { ports, hub, person, request, client, opener, onBegin, connectors } = openRequest;
  const elsewhere = await ports.sessions.openElsewhere(person.userId);
  const controller = hub.begin(
    person.userId,
    (await ports.limits.read()).sessionsPerPerson,
    elsewhere,
    request.early?.changes,
  );
  try {
    onBegin(controller);
    controller.signal.throwIfAborted();
    const session = await openSession(
      {
        ports,
        person,
        request,
        client,
        signal: controller.signal,
        ...(connectors && { connectors }),
      },
      opener,
    );
    hub.add(session, controller);
    if (controller.signal.aborted) session.end(problemOf(controller.signal.reason).code);
    return session;
  } finally {
    hub.settled(controller);
  }
}

/** The reason for which an attempt ends after its user left. */
export const gone = (): Refusal => new Refusal('session_finished');

import type { Hub } from '../hub.ts';
import type { Person } from '../ports/people.ts';
import type { GatewayPorts } from '../ports.ts';
import type { Connector } from '../protocols/connector.ts';
import { problemOf, Refusal } from '../refusal.ts';
import type { ConnectionRequest } from '../sessions/dial.ts';
import { openSession, type SessionOpener } from '../sessions/open-session.ts';
import type { Session } from '../sessions/session.ts';
import type { SessionClient } from '../sessions/session-client.ts';

/** A person who asks for a session through some listener. */
export interface Asking<Opened extends Session> {
  readonly ports: GatewayPorts;
  readonly hub: Hub;
  readonly person: Person;
  readonly request: ConnectionRequest;
  readonly client: SessionClient;
  readonly opener: SessionOpener<Opened>;
  /** The protocols that can be spoken; all of them when absent. */
  readonly connectors?: readonly Connector[];
  /** Called when the try begins, with how to give it up. */
  readonly onBegin: (controller: AbortController) => void;
}

/** Opens a session within the person's limit and gives it to the hub. @throws Refusal, or what went wrong */
export async function openFor<Opened extends Session>(asking: Asking<Opened>): Promise<Opened> {
  const { ports } = asking;
  if (ports.isAccepting?.() === false) throw new Refusal('session_server_retired');
  try {
    return await openWithinLimit(asking);
  } catch (error) {
    if (problemOf(error).code !== 'internal' || (await ports.databaseAnswers?.()) !== false)
      throw error;
    ports.log.warn({ err: error }, 'a session was refused: the database does not answer');
    throw new Refusal('connect_database_away');
  }
}

async function openWithinLimit<Opened extends Session>(asking: Asking<Opened>): Promise<Opened> {
  const { ports, hub, person, request, client, opener, onBegin, connectors } = asking;
  const elsewhere = await ports.sessions.openElsewhere(person.userId);
  const controller = hub.begin(
    person.userId,
    (await ports.limits.read()).sessionsPerPerson,
    elsewhere,
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
    hub.add(session);
    if (controller.signal.aborted) session.end(problemOf(controller.signal.reason).code);
    return session;
  } finally {
    hub.settled(controller);
  }
}

/** The reason of a try whose person is gone. */
export const gone = (): Refusal => new Refusal('session_finished');

import type { Recordings } from '../../../platform/storage/recordings.ts';
import type { Hub } from '../../hub.ts';
import type { Person } from '../../ports/people.ts';
import type { GatewayPorts } from '../../ports.ts';
import { problemOf } from '../../refusal.ts';
import type { ConnectionRequest } from '../../sessions/dial.ts';
import type { SessionOpener } from '../../sessions/open-session.ts';
import type { Session, SessionParts } from '../../sessions/session.ts';
import type { SessionClient } from '../../sessions/session-client.ts';
import { openFor } from '../open-for.ts';
import { type LeashTerms, leashedPorts } from './leashed-ports.ts';

/** A call of an agent at a target. */
export interface AgentCall {
  readonly person: Person & { readonly loginId: string };
  readonly leash: LeashTerms;
  readonly assetId: string;
  readonly systemUserId: string;
  /** Maximum bytes of output that are kept. */
  readonly room: number;
  /** Aborts the call: its reason has the code that ends the session. */
  readonly signal: AbortSignal;
  /** Called once the row of the session exists. */
  readonly onSession: (id: string) => void;
}

/** The parts of the gateway that carry the calls of agents. */
export interface Surroundings {
  readonly ports: GatewayPorts;
  readonly hub: Hub;
  readonly recordings: Recordings;
}

interface LeashedOpening<Opened extends Session> {
  readonly request: Pick<ConnectionRequest, 'protocol' | 'kind'>;
  readonly client: SessionClient;
  readonly opener: SessionOpener<Opened>;
  /** Called once the row of the session exists. */
  readonly onParts: (parts: SessionParts) => void;
  /** Called before an abort of the call ends the session. */
  readonly onAbort?: () => void;
}

/**
 * Opens a session of an agent's owner within the leash. It ends when the call is aborted.
 * @throws Refusal, or an unexpected error
 */
export async function openLeashed<Opened extends Session>(
  { person, leash, assetId, systemUserId, signal, onSession }: AgentCall,
  { ports, hub }: Surroundings,
  { request, client, opener, onParts, onAbort }: LeashedOpening<Opened>,
): Promise<Opened> {
  const session = await openFor({
    ports: leashedPorts(ports, leash),
    hub,
    person,
    request: { assetId, systemUserId, ...request },
    client,
    opener: {
      ...opener,
      begin(parts) {
        onParts(parts);
        onSession(parts.row.id);
        return opener.begin(parts);
      },
    },
    onBegin(controller) {
      const abort = () => controller.abort(signal.reason);
      signal.addEventListener('abort', abort, { once: true });
      if (signal.aborted) abort();
    },
  });
  const end = () => {
    onAbort?.();
    const { code, params } = problemOf(signal.reason);
    session.end(code, params);
  };
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  return session;
}

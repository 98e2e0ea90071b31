import type { ConnectStage, ErrorCode, ServerMessage } from '@sallyport/contract';

/** Codes of our own for a line that ended without the server's last word. */
export type ClosedCode = ErrorCode | 'line_refused' | 'line_lost' | 'cancelled';

/** Where one connection stands. */
export type ConnectionState =
  | { readonly phase: 'idle' }
  | { readonly phase: 'connecting'; readonly stage: ConnectStage; readonly host: string | null; readonly gateway: boolean }
  | { readonly phase: 'credentials'; readonly username: string; readonly reason: 'manual' | 'rejected' }
  | { readonly phase: 'open'; readonly session: string; readonly asset: string; readonly account: string; readonly since: number }
  | {
      readonly phase: 'closed';
      readonly code: ClosedCode;
      /** The server's sentence; `null` when the line broke and the page has to say it. */
      readonly message: string | null;
      readonly retry: boolean;
      /** The session that was open, for the record and for support. */
      readonly session: string | null;
      /** How far the connection had come: a card tells a failed start from an end. */
      readonly stage: ConnectStage | null;
    };

export type ConnectionEvent =
  | { readonly type: 'dial' }
  | { readonly type: 'server'; readonly message: ServerMessage; readonly now: number }
  | { readonly type: 'answered' }
  | { readonly type: 'cancelled' }
  | { readonly type: 'gone'; readonly opened: boolean };

export const IDLE: ConnectionState = { phase: 'idle' };

function connecting(stage: ConnectStage, host: string | null, previous: ConnectionState): ConnectionState {
  const gateway = stage === 'gateway' || (previous.phase === 'connecting' && previous.gateway);
  return { phase: 'connecting', stage, host, gateway };
}

function closed(state: ConnectionState, code: ClosedCode, message: string | null, retry: boolean): ConnectionState {
  return {
    phase: 'closed',
    code,
    message,
    retry,
    session: state.phase === 'open' ? state.session : null,
    stage: state.phase === 'connecting' ? state.stage : null,
  };
}

function hear(state: ConnectionState, message: ServerMessage, now: number): ConnectionState {
  switch (message.type) {
    case 'stage':
      return connecting(message.stage, message.host ?? null, state);
    case 'need_credentials':
      return { phase: 'credentials', username: message.username, reason: message.reason };
    case 'open':
      return { phase: 'open', session: message.session, asset: message.asset, account: message.account, since: now };
    case 'resize':
      return state;
    case 'closed':
      return closed(state, message.code, message.message, message.retry);
  }
}

/** The next state of a connection. Once closed, only a new dial changes it: the first reason is the true one. */
export function nextConnectionState(state: ConnectionState, event: ConnectionEvent): ConnectionState {
  if (event.type === 'dial') return connecting('checking', null, IDLE);
  if (state.phase === 'closed') return state;
  switch (event.type) {
    case 'server':
      return hear(state, event.message, event.now);
    case 'answered':
      return connecting('authenticating', null, state);
    case 'cancelled':
      return closed(state, 'cancelled', null, true);
    case 'gone':
      return closed(state, event.opened ? 'line_lost' : 'line_refused', null, true);
  }
}

/** Whether leaving now would end something: a dial in progress or an open shell. */
export function isLive(state: ConnectionState): boolean {
  return state.phase === 'connecting' || state.phase === 'credentials' || state.phase === 'open';
}

import type {
  ApprovalProgress,
  ConnectStage,
  ConnectStageFacts,
  ErrorCode,
  ServerMessage,
} from '@sallyport/contract';

/** Client-side codes for a connection that ended without the server's reason. */
export type ClosedCode = ErrorCode | 'line_refused' | 'line_lost' | 'cancelled';

/** A shell that the server has opened. */
export interface OpenShell {
  readonly session: string;
  readonly asset: string;
  readonly account: string;
  readonly since: number;
  /** Seconds for which the server keeps the shell without a connection. */
  readonly keeps: number;
  /** The outdated SSH algorithms that its connection uses; empty for none. */
  readonly old: string;
}

/** Kind of question to the user, and the reason for asking again. */
export type AskedFor = 'manual' | 'rejected' | 'factor' | 'factor_again' | 'approval';

/** The state of one connection. */
export type ConnectionState =
  | { readonly phase: 'idle' }
  | {
      readonly phase: 'connecting';
      readonly stage: ConnectStage;
      readonly host: string | null;
      readonly gateway: boolean;
      readonly progress?: ApprovalProgress | undefined;
    }
  | { readonly phase: 'credentials'; readonly username: string; readonly reason: AskedFor }
  | ({ readonly phase: 'open' } & OpenShell)
  /**
   * The shell is open without a connection, and the page tries to resume it. Account and host are
   * only present if this page opened it.
   */
  | {
      readonly phase: 'away';
      readonly session: string;
      readonly shell: OpenShell | null;
      readonly lostAt: number;
      readonly until: number;
    }
  | {
      readonly phase: 'closed';
      readonly code: ClosedCode;
      /** The server's sentence; `null` when the line broke and the page has to say it. */
      readonly message: string | null;
      readonly retry: boolean;
      /** The session that was open, for the record and for support. */
      readonly session: string | null;
      /** Last stage of the connection, which tells a failed start from an end. */
      readonly stage: ConnectStage | null;
    };

export type ConnectionEvent =
  | { readonly type: 'dial' }
  /** Comes back to a session that was opened before the page was loaded. */
  | { readonly type: 'resume'; readonly session: string; readonly now: number }
  | { readonly type: 'server'; readonly message: ServerMessage; readonly now: number }
  | { readonly type: 'answered' }
  | { readonly type: 'cancelled' }
  /** The server does not keep the shell any longer. */
  | { readonly type: 'expired' }
  | { readonly type: 'gone'; readonly opened: boolean; readonly now: number };

/** Time for which a reloaded page tries to resume; the server may be restarting. */
const RETURN_MS = 60_000;

export const IDLE: ConnectionState = { phase: 'idle' };

function connecting(
  { stage, host, progress }: ConnectStageFacts,
  previous: ConnectionState,
): ConnectionState {
  const gateway = stage === 'gateway' || (previous.phase === 'connecting' && previous.gateway);
  return { phase: 'connecting', stage, host: host ?? null, gateway, progress };
}

function closed(
  state: ConnectionState,
  code: ClosedCode,
  message: string | null,
  retry: boolean,
): ConnectionState {
  return {
    phase: 'closed',
    code,
    message,
    retry,
    session: state.phase === 'open' || state.phase === 'away' ? state.session : null,
    stage: state.phase === 'connecting' ? state.stage : null,
  };
}

function hear(state: ConnectionState, message: ServerMessage, now: number): ConnectionState {
  switch (message.type) {
    case 'stage':
      return connecting(message, state);
    case 'need_credentials':
      return { phase: 'credentials', username: message.username, reason: message.reason };
    case 'need_factor':
      return {
        phase: 'credentials',
        username: '',
        reason: message.again ? 'factor_again' : 'factor',
      };
    case 'need_reason':
      return { phase: 'credentials', username: '', reason: 'approval' };
    case 'open':
      return {
        phase: 'open',
        session: message.session,
        asset: message.asset,
        account: message.account,
        since: now,
        keeps: message.keeps,
        old: message.old,
      };
    case 'resumed': {
      const { session, asset, account, keeps, old, age } = message;
      return { phase: 'open', session, asset, account, since: now - age * 1000, keeps, old };
    }
    case 'resize':
    case 'pong':
    case 'taken':
    case 'guests':
    case 'invited':
    case 'desktop':
    case 'resizable':
    case 'clipboard':
    case 'files':
    case 'drive':
    case 'drive_state':
    case 'pointer':
    case 'notice':
    case 'locked':
    case 'transfer':
      return state;
    case 'closed':
      return closed(state, message.code, message.message, message.retry);
  }
}

/**
 * The next state of a connection. Once closed, only a new dial changes it: the first reason is the
 * true one.
 */
export function nextConnectionState(
  state: ConnectionState,
  event: ConnectionEvent,
): ConnectionState {
  if (event.type === 'dial') return connecting({ stage: 'checking' }, IDLE);
  if (event.type === 'resume')
    return {
      phase: 'away',
      session: event.session,
      shell: null,
      lostAt: event.now,
      until: event.now + RETURN_MS,
    };
  if (state.phase === 'closed') return state;
  switch (event.type) {
    case 'server':
      return hear(state, event.message, event.now);
    case 'answered':
      return connecting({ stage: 'authenticating' }, state);
    case 'cancelled':
      return closed(state, 'cancelled', null, true);
    case 'expired':
      return closed(state, 'line_lost', null, true);
    case 'gone':
      if (state.phase === 'away') return state;
      if (state.phase === 'open' && state.keeps > 0) {
        const { phase: _, ...shell } = state;
        return {
          phase: 'away',
          session: state.session,
          shell,
          lostAt: event.now,
          until: event.now + state.keeps * 1000,
        };
      }
      return closed(state, event.opened ? 'line_lost' : 'line_refused', null, true);
  }
}

/** Returns true if leaving now ends a dial in progress or a shell. */
export function isLive(state: ConnectionState): boolean {
  return state.phase !== 'idle' && state.phase !== 'closed';
}

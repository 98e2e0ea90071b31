import type { ConnectStage, ProtocolName, SessionKind } from '@sallyport/contract';
import type { AddressPolicy } from '../address-policy.ts';
import type { Hop, HostKeys } from '../ports.ts';

/** The route to a target, not opened yet. */
export interface Route {
  /** In the order in which they are passed; empty when the target is reached directly. */
  readonly gateways: readonly Hop[];
  readonly target: Hop;
  readonly hostKeys: HostKeys;
  readonly addresses: AddressPolicy;
  /** How long each step may take. */
  readonly timeoutMs: number;
  readonly onStage: (stage: ConnectStage, host: string) => void;
}

/** Speaks one protocol to targets. */
export interface Connector {
  readonly protocol: ProtocolName;
  /** The kinds of session that its connections can open. */
  readonly sessionKinds: readonly SessionKind[];
  /** Opens the route and authenticates at the target; leaves nothing open when that fails. */
  connect(route: Route, signal: AbortSignal): Promise<Connection>;
}

/** An authenticated connection to a target. What it can open depends on its protocol. */
export interface Connection {
  /** Opens a shell, where the protocol has terminals. */
  openShell?(size: TerminalSize, events: TargetEvents): Promise<TargetShell>;
  /** Ends the connection and everything that was opened to reach the target. */
  close(): void;
}

export interface TerminalSize {
  readonly cols: number;
  readonly rows: number;
}

/** An open shell at a target. Bytes are in the charset of the target. */
export interface TargetShell {
  /** Takes what the person typed. */
  write(chunk: Buffer): void;
  /** Bytes that were taken and that the target has not read yet. */
  readonly waiting: number;
  resize(cols: number, rows: number): void;
  /** Stops reading from the target; it notices and waits. */
  pause(): void;
  resume(): void;
  /** Ends the shell and everything that was opened to reach it. Harmless when it has ended already. */
  close(): void;
}

/** How a target ended: by itself, by a broken connection, or because it sent more than it may. */
export type TargetEnd = 'closed' | 'lost' | 'flooded';

/** What a target reports. */
export interface TargetEvents {
  onData(chunk: Buffer): void;
  /** Once, at the end. */
  onEnd(how: TargetEnd): void;
}

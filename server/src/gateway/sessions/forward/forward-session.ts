import type { ErrorCode } from '@sallyport/contract';
import type { ReplayState } from '../../ports/records.ts';
import type { TargetEnd, TargetForward } from '../../protocols/connector.ts';
import { recordOf } from '../check-whole.ts';
import { Session, type SessionParts } from '../session.ts';
import type { SessionClient } from '../session-client.ts';

const TARGET_ENDS = {
  closed: 'connect_target_closed',
  lost: 'connect_target_lost',
  flooded: 'connect_target_flooded',
} as const satisfies Record<TargetEnd, ErrorCode>;

/** The near side of a forwarded connection. */
export interface ForwardClient extends SessionClient {
  /** Takes bytes of the target; false when no more should come until the client calls `clientDrained`. */
  output(chunk: Buffer): boolean;
  /** The target sends no more. */
  outputEnded(): void;
  /** The target takes input again, after `input` said false. */
  inputDrained(): void;
}

/** Where at the asset a connection goes, as the asset names it. */
export interface ForwardAddress {
  readonly host: string;
  readonly port: number;
}

/** What such a session is made of. */
export interface ForwardSessionParts extends SessionParts {
  readonly client: ForwardClient;
  readonly address: ForwardAddress;
}

/** A session that is one connection to a port of the asset. Bytes pass as they are; the log keeps where it went and how many there were. */
export class ForwardSession extends Session {
  readonly kind = 'terminal';
  readonly screen = undefined;
  readonly recordedBytes = 0;
  private readonly parts: ForwardSessionParts;
  private target: TargetForward | undefined;
  private sent = 0;
  private received = 0;

  constructor(parts: ForwardSessionParts) {
    super(parts);
    this.parts = parts;
  }

  /** Where it goes. */
  get address(): ForwardAddress {
    return this.parts.address;
  }

  protected get wasOpen(): boolean {
    return this.target !== undefined;
  }

  /** The connection is open; called once. */
  attach(target: TargetForward): void {
    this.target = target;
    if (this.isOver) target.close();
  }

  /** Takes bytes of the target. */
  fromTarget(chunk: Buffer): void {
    if (this.isOver) return;
    this.active();
    this.received += chunk.length;
    if (!this.parts.client.output(chunk)) this.target?.pause();
  }

  /** The client takes bytes again. */
  clientDrained(): void {
    this.target?.resume();
  }

  /** Takes bytes of the client; false when no more should come for the moment. */
  input(chunk: Buffer): boolean {
    if (this.isOver || !this.target) return true;
    this.active();
    this.sent += chunk.length;
    return this.target.write(chunk);
  }

  /** The client sends no more. */
  inputEnded(): void {
    if (!this.isOver) this.target?.finishInput();
  }

  targetEnded(how: TargetEnd): void {
    this.end(TARGET_ENDS[how]);
  }

  protected stop(): void {
    this.target?.close();
  }

  protected async finish(): Promise<ReplayState> {
    const { address, ports, row } = this.parts;
    if (this.target === undefined) return 'none';
    const record = recordOf(
      `forward ${address.host}:${address.port}`,
      `[sent ${this.sent} bytes, received ${this.received} bytes]`,
    );
    await ports.sessions.addCommands(row.id, [record]).catch((error: unknown) => {
      ports.log.error(
        { session: row.id, err: error },
        'the destination of a forwarded connection could not be written',
      );
    });
    return 'none';
  }
}

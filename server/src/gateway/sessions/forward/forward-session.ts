import type { ReplayState } from '../../ports/records.ts';
import type { TargetForward } from '../../protocols/connector.ts';
import { TARGET_ENDS, type TargetEnd } from '../../protocols/target-end.ts';
import { recordOf } from '../check-whole.ts';
import { Session, type SessionParts } from '../session.ts';
import type { SessionClient } from '../session-client.ts';

export interface ForwardClient extends SessionClient {
  /** Sends bytes. Returns false to request a pause until the client calls `clientDrained`. */
  output(chunk: Buffer): boolean;
  /** Reports that the target sends no more. */
  outputEnded(): void;
  /** Resumes input after `input` returned false. */
  inputDrained(): void;
}

/** An address as seen from the asset. */
export interface ForwardAddress {
  readonly host: string;
  readonly port: number;
}

export interface ForwardSessionParts extends SessionParts {
  readonly client: ForwardClient;
  readonly address: ForwardAddress;
}

/**
 * A session of one connection to a port of the asset. Passes bytes unchanged; logs the address and
 * byte counts.
 */
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

  get address(): ForwardAddress {
    return this.parts.address;
  }

  protected get wasOpen(): boolean {
    return this.target !== undefined;
  }

  attach(target: TargetForward): void {
    this.target = target;
    if (this.isOver) target.close();
  }

  fromTarget(chunk: Buffer): void {
    if (this.isOver) return;
    this.active();
    this.received += chunk.length;
    if (!this.parts.client.output(chunk)) this.target?.pause();
  }

  clientDrained(): void {
    this.target?.resume();
  }

  /** Takes bytes of the client. Returns false to request a pause. */
  input(chunk: Buffer): boolean {
    if (this.isOver || !this.target) return true;
    this.active();
    this.sent += chunk.length;
    return this.target.write(chunk);
  }

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

import { actionMask, type LocalText } from '@sallyport/contract';
import type { ReplayState } from '../../ports/records.ts';
import type { TargetForward } from '../../protocols/connector.ts';
import { TARGET_ENDS, type TargetEnd } from '../../protocols/target-end.ts';
import { Refusal } from '../../refusal.ts';
import { recordOf } from '../begin-recorded.ts';
import { HeldInput } from '../held-input.ts';
import type { SessionOpener } from '../open-session.ts';
import { Session, type SessionParts } from '../session.ts';
import type { SessionClient } from '../session-client.ts';

const LABEL: LocalText = { en: 'Forward ports', zh: '端口转发' };
/** Names with which clients mean the asset itself. */
const LOCAL_NAMES = new Set(['localhost', '127.0.0.1', '::1']);

/**
 * Opens sessions of one forwarded connection to a port of the asset, if the permission allows it.
 */
export function forwardOpener(
  client: ForwardClient,
  destination: ForwardAddress,
): SessionOpener<ForwardSession> {
  return {
    kind: 'terminal',
    begin: async (parts) => {
      const { asset, systemUser, actions } = parts.row.grant;
      if (systemUser.allowedCommands !== undefined) throw new Refusal('account_enforced');
      if ((actions & actionMask(['forward_port'])) === 0)
        throw new Refusal('transfer_denied', { action: LABEL });
      const host = destination.host.toLowerCase();
      const isOwn = [asset.hostname.toLowerCase(), asset.ip, asset.id].includes(host);
      if (!isOwn && !LOCAL_NAMES.has(host))
        throw new Refusal('forward_elsewhere', { host: destination.host });
      return new ForwardSession({
        ...parts,
        client,
        address: { host: isOwn ? asset.ip : host, port: destination.port },
      });
    },
    async open(session, { openForward }) {
      if (!openForward)
        throw new Refusal('connect_protocol', { protocol: session.row.grant.systemUser.protocol });
      const target = await openForward(session.address, {
        onData: (chunk) => session.fromTarget(chunk),
        onDrain: () => client.inputDrained(),
        onDataEnd: () => client.outputEnded(),
        onEnd: (how, message) => session.targetEnded(how, message),
      });
      session.attach(target);
    },
  };
}

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
  private readonly held = new HeldInput();
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
    return this.lock ? this.held.add(chunk) : this.target.write(chunk);
  }

  protected override lockChanged(): void {
    if (!this.lock && this.target && this.held.release(this.target))
      this.parts.client.inputDrained();
  }

  inputEnded(): void {
    if (this.lock) this.held.end();
    else if (!this.isOver) this.target?.finishInput();
  }

  targetEnded(how: TargetEnd, message?: string): void {
    this.end(TARGET_ENDS[how], message === undefined ? undefined : { message });
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

import type { Duplex } from 'node:stream';
import type { Client, ClientChannel } from '@sallyport/ssh';
import { Refusal } from '../../refusal.ts';
import type { TargetExit } from '../connector.ts';
import type { TargetEnd } from '../target-end.ts';
import { type Peer, refusalOf } from './ssh-errors.ts';

/** The last server of a route, connected. */
export interface LastHop {
  readonly client: Client;
  readonly transport: Duplex;
  /** Closes all connections of the route. */
  readonly close: () => void;
  readonly peer: Peer;
}

/**
 * Reports the end of a channel once: its program ended, the connection was lost, or a size limit
 * was exceeded.
 */
export class ChannelEnd {
  private over = false;
  private exited = false;
  private broken = false;
  private isOpen = false;
  private readonly forget: () => void;
  private readonly hop: LastHop;
  private readonly onEnd: (how: TargetEnd) => void;

  /** `failed` is called if the connection is lost while the channel opens. */
  constructor(hop: LastHop, onEnd: (how: TargetEnd) => void, failed: (refusal: Refusal) => void) {
    this.hop = hop;
    this.onEnd = onEnd;
    const breakOff = (refusal: Refusal) => {
      this.broken = true;
      failed(refusal);
      // Received data is still read; the channel closes after it.
      if (!this.isOpen) this.end('lost');
    };
    const { client } = hop;
    const onError = (error: Error) => breakOff(refusalOf(error, hop.peer));
    const onLost = () => breakOff(new Refusal('connect_target_lost'));
    client.on('error', onError);
    client.on('end', onLost);
    client.on('close', onLost);
    this.forget = () => {
      client.off('error', onError);
      client.off('end', onLost);
      client.off('close', onLost);
    };
  }

  follow(channel: ClientChannel, onExit: (exit: TargetExit) => void): void {
    this.isOpen = true;
    channel.on('exit', (code: number | null, signal?: string) => {
      this.exited = true;
      onExit(code === null ? { signal: String(signal ?? '').replace(/^SIG/, '') } : { code });
    });
    channel.on('error', () => this.end('lost'));
    channel.on('close', () => this.end(this.broken && !this.exited ? 'lost' : 'closed'));
  }

  /** The target exceeded its window. */
  readonly flooded = (): void => {
    this.hop.transport.destroy();
    this.end('flooded');
  };

  end(how: TargetEnd): void {
    if (this.over) return;
    this.over = true;
    this.onEnd(how);
    this.hop.close();
    this.forget();
  }
}

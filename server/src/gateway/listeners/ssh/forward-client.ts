import type { ChannelStream } from '@sallyport/ssh';
import type { ForwardClient, ForwardSession } from '../../sessions/forward/forward-session.ts';
import { TextError } from './text-error.ts';
import { words } from './words.ts';

/**
 * A forwarded connection of an SSH client, as the client of a session. Its channel opens once the
 * target's connection is open.
 */
export class SshForward implements ForwardClient {
  session: ForwardSession | undefined;
  /** Bytes of the target from before the channel opened. */
  private early: Buffer[] = [];
  private hasEnded = false;
  private stream: ChannelStream | undefined;
  private readonly accept: () => ChannelStream | undefined;

  constructor(accept: () => ChannelStream | undefined) {
    this.accept = accept;
  }

  stage(): void {}

  askCredentials(): Promise<never> {
    return Promise.reject(new TextError(words.needsTerminal));
  }

  opened(): void {
    const stream = this.accept();
    if (!stream) return;
    this.stream = stream;
    stream.on('drain', () => this.session?.clientDrained());
    stream.on('data', (chunk: Buffer) => {
      if (this.session?.input(chunk) === false) stream.pause();
    });
    stream.once('end', () => this.session?.inputEnded());
    stream.once('close', () => this.session?.end('session_finished'));
    for (const chunk of this.early) stream.write(chunk);
    this.early = [];
    if (this.hasEnded) stream.end();
    else if (!stream.writableNeedDrain) this.session?.clientDrained();
  }

  output(chunk: Buffer): boolean {
    if (this.stream) return this.stream.write(chunk);
    this.early.push(chunk);
    return false;
  }

  outputEnded(): void {
    this.hasEnded = true;
    this.stream?.end();
  }

  inputDrained(): void {
    this.stream?.resume();
  }

  closed(): void {
    this.stream?.end();
    // Discard what the client still sends.
    this.stream?.resume();
  }
}

import type { Language } from '@sallyport/contract';
import {
  type ChannelWriter,
  Frames,
  joined,
  lengthOf,
  Packet,
  PacketReader,
  type Pieces,
  packetOf,
  type ServerChannel,
  SFTP_VERSION,
  SftpFormatError,
  Status,
} from '@sallyport/ssh';
import { FILE_WINDOW, MAX_SFTP_PACKET } from '../../../limits.ts';
import type { GatewayLog } from '../../../ports.ts';
import { isFault, problemOf, wordProblem } from '../../../refusal.ts';
import { TextError } from '../text-error.ts';
import { type Answer, statusOf, statusPacket } from './answers.ts';
import { FILE_REQUESTS, MAX_READ } from './file-requests.ts';
import { Operations } from './operations.ts';
import { PATH_REQUESTS } from './path-requests.ts';
import type { Tree } from './tree.ts';

const HANDLERS = new Map([...FILE_REQUESTS, ...PATH_REQUESTS]);

/**
 * Runs one request. Looks up its handle immediately, so that requests on a handle keep their order.
 * @throws Refusal, TextError, SftpFormatError
 */
export function runRequest(
  operations: Operations,
  type: number,
  id: number,
  body: PacketReader,
): Promise<Answer> {
  const handle = HANDLERS.get(type);
  if (!handle)
    return Promise.resolve(statusPacket(id, Status.UNSUPPORTED, 'Operation unsupported'));
  return handle(operations, id, body);
}

/** Extensions of version 3, as named by OpenSSH. */
const EXTENSIONS = [
  ['posix-rename@openssh.com', '1'],
  ['limits@openssh.com', '1'],
  ['statvfs@openssh.com', '2'],
  ['fsync@openssh.com', '1'],
] as const;

/** Maximum parallel requests per channel. Beyond it we stop reading from the client. */
const MAX_ACTIVE = 64;
/** Answers up to this size are sent as one message. */
const MAX_JOINED = 16 * 1024;

export interface SftpServerParts {
  readonly channel: ServerChannel;
  readonly writer: ChannelWriter;
  readonly tree: Tree;
  readonly language: Language;
  readonly log: GatewayLog;
  /** Called when the client violates the protocol or ends the channel. */
  onEnd(): void;
}

/** Serves SFTP version 3 on a channel (draft-ietf-secsh-filexfer-02) with bounded memory. */
export class SftpServer {
  private readonly parts: SftpServerParts;
  private readonly operations: Operations;
  private readonly frames = new Frames(MAX_SFTP_PACKET, (packet) => this.queue.push(packet));
  private queue: Pieces[] = [];
  private active = 0;
  /** Bytes of active requests and of their possible answers. */
  private load = 0;
  private hasBegun = false;
  private isOver = false;
  private ending: Promise<void> | undefined;

  constructor(parts: SftpServerParts) {
    this.parts = parts;
    this.operations = new Operations(parts.tree);
  }

  /** Starts reading from the client. */
  start(): void {
    const { channel, writer } = this.parts;
    writer.onDrain = () => this.advance();
    channel.on('data', (chunk: Buffer) => {
      try {
        this.frames.push(chunk);
      } catch (error) {
        if (!(error instanceof SftpFormatError)) throw error;
        this.parts.onEnd();
        return;
      }
      this.advance();
    });
    channel.once('end', () => {
      if (!this.isOver) this.parts.onEnd();
    });
    channel.resume();
  }

  /** Closes all handles. Removes incomplete files and logs them. */
  end(): Promise<void> {
    this.isOver = true;
    this.queue = [];
    this.ending ??= this.operations.end();
    return this.ending;
  }

  private advance(): void {
    const { channel, writer } = this.parts;
    while (!this.isOver && this.active < MAX_ACTIVE && this.load + writer.waiting < FILE_WINDOW) {
      const packet = this.queue.shift();
      if (!packet) {
        channel.resume();
        return;
      }
      this.take(packet);
    }
    if (!this.isOver) channel.pause();
  }

  private take(packet: Pieces): void {
    const body = new PacketReader(packet);
    try {
      const type = body.byte();
      if (!this.hasBegun) {
        if (type !== Packet.INIT) throw new SftpFormatError('no greeting');
        this.hasBegun = true;
        const extensions = EXTENSIONS.flatMap(([name, version]) => [
          Buffer.from(name),
          Buffer.from(version),
        ]);
        this.send([packetOf(Packet.VERSION, SFTP_VERSION, ...extensions)]);
        return;
      }
      const id = body.uint32();
      const weight = type === Packet.READ ? MAX_READ : lengthOf(packet);
      this.active += 1;
      this.load += weight;
      void this.answer(type, id, body).then((reply) => {
        this.active -= 1;
        this.load -= weight;
        this.send(reply);
        this.advance();
      });
    } catch (error) {
      if (!(error instanceof SftpFormatError)) throw error;
      this.parts.onEnd();
    }
  }

  private async answer(type: number, id: number, body: PacketReader): Promise<Pieces> {
    try {
      const answer = await runRequest(this.operations, type, id, body);
      return Buffer.isBuffer(answer) ? [answer] : answer;
    } catch (error) {
      const { language, log } = this.parts;
      if (error instanceof SftpFormatError)
        return [statusPacket(id, Status.BAD_MESSAGE, 'Bad message')];
      if (error instanceof TextError)
        return [statusPacket(id, Status.FAILURE, error.in(language).join(' '))];
      const problem = problemOf(error);
      if (isFault(problem))
        log.error({ err: error }, 'a request for files over SSH could not be answered');
      return [statusPacket(id, statusOf(problem.code), wordProblem(problem, language))];
    }
  }

  private send(packet: Pieces): void {
    if (this.isOver) return;
    const { writer } = this.parts;
    // A copy of a short answer costs less than a second message.
    if (lengthOf(packet) <= MAX_JOINED) writer.write(joined(packet));
    else for (const piece of packet) writer.write(piece);
  }
}

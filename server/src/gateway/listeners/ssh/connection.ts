import type { Duplex } from 'node:stream';
import { type Language, type LocalText, say } from '@sallyport/contract';
import {
  ChannelFailure,
  ChannelStream,
  type Connection,
  DisconnectReason,
  endConnection,
  guardWindow,
  refuseChannel,
  type ServerChannel,
  sendNow,
} from '@sallyport/ssh';
import { EXEC_WINDOW, MAX_CHANNELS, MAX_FORWARDED } from '../../limits.ts';
import type { Person } from '../../ports/people.ts';
import { isFault, problemOf, wordProblem } from '../../refusal.ts';
import { type ForwardAddress, forwardOpener } from '../../sessions/forward/forward-session.ts';
import { gone, openFor } from '../open-for.ts';
import type { Destination, TargetName } from './destination.ts';
import { SshForward } from './forward-client.ts';
import { answerJump, type JumpAddress, refuseJump, resolveJump } from './jump.ts';
import type { SignedInUser, SshContext } from './ports.ts';
import { resolveTarget } from './resolve.ts';
import { type ChannelOwner, SessionChannel } from './session-channel.ts';
import { TextError } from './text-error.ts';
import { words } from './words.ts';

export interface SignedInConnection {
  readonly context: SshContext;
  readonly connection: Connection;
  readonly transport: Duplex;
  readonly user: SignedInUser;
  readonly destination: Destination;
  readonly remoteAddress: string;
}

/**
 * The connection of a signed-in user. It offers session channels and forwarded connections to
 * granted servers that end here (`ssh -J`). If the client named a server, it also forwards to that
 * server's own ports.
 * Other requests (sockets, remote ports, agent, X11) have no listener, so the library rejects them.
 */
export class SshConnection implements ChannelOwner {
  readonly context: SshContext;
  readonly transport: Duplex;
  readonly user: SignedInUser;
  readonly destination: Destination;
  private readonly connection: Connection;
  private readonly remoteAddress: string;
  private readonly channels = new Set<SessionChannel>();
  private readonly forwarded = new Set<ChannelStream>();
  /** Number of forwarded connections that are opening. */
  private opening = 0;
  private readonly leaving = new AbortController();

  constructor({
    context,
    connection,
    transport,
    user,
    destination,
    remoteAddress,
  }: SignedInConnection) {
    this.context = context;
    this.connection = connection;
    this.transport = transport;
    this.user = user;
    this.destination = destination;
    this.remoteAddress = remoteAddress;
    connection.on('session', (accept, reject) => {
      if (this.channels.size >= MAX_CHANNELS)
        this.refuse(reject, ChannelFailure.shortage, say(words.busy, 'en'));
      else this.channels.add(new SessionChannel(this, accept()));
    });
    connection.on('tcpip', (accept, reject, { destIP, destPort }) => {
      const address = { host: destIP, port: destPort };
      if (this.forwarded.size + this.opening >= MAX_FORWARDED)
        this.refuse(reject, ChannelFailure.shortage, say(words.busy, 'en'));
      else if (destination.target) void this.forward(accept, reject, destination.target, address);
      else this.jump(accept, address);
    });
    const pump = () => {
      for (const channel of [...this.channels, ...this.forwarded]) channel.pump();
    };
    transport.on('drain', pump);
    connection.on('rekey', pump);
  }

  /** The user as a person of gateway sessions. */
  person(language: Language): Person {
    const { userId, display, loginId } = this.user;
    return { userId, display, language, remoteAddr: this.remoteAddress, loginFrom: 'ST', loginId };
  }

  forget(channel: SessionChannel): void {
    this.channels.delete(channel);
  }

  /** Closes the connection and all of its sessions. The client receives the text. */
  close(text: LocalText, reason: DisconnectReason = DisconnectReason.byApplication): void {
    endConnection(this.connection, reason, say(text, 'en'));
    sendNow(this.transport);
    this.transport.destroy();
    this.left();
  }

  /** Closes the connection of a client that ignores the windows of its channels. */
  rejectFlood(): void {
    this.close(words.beyondWindow, DisconnectReason.protocolError);
  }

  /** Ends all sessions after the connection has closed. */
  left(): void {
    for (const channel of [...this.channels]) channel.left();
    this.leaving.abort(gone());
    for (const stream of this.forwarded) stream.destroy();
  }

  /** `ssh -L` to the named server: each connection becomes a separate session. */
  private async forward(
    accept: () => ServerChannel,
    reject: () => void,
    target: TargetName,
    address: ForwardAddress,
  ): Promise<void> {
    const { context } = this;
    // The conditions of a permission may name ports: the opening is checked with this one.
    const person = { ...this.person('en'), forwardPort: address.port };
    this.opening++;
    let isAccepted = false;
    const client = new SshForward(() => {
      isAccepted = true;
      return this.take(accept);
    });
    try {
      const request = await resolveTarget(context, person, target);
      const opener = forwardOpener(client, address);
      await openFor({
        ports: context.ports,
        hub: context.hub,
        person,
        request,
        client,
        opener: {
          ...opener,
          begin: async (parts) => {
            client.session = await opener.begin(parts);
            return client.session;
          },
        },
        onBegin: (controller) => {
          if (this.leaving.signal.aborted) controller.abort(gone());
          else
            this.leaving.signal.addEventListener('abort', () => controller.abort(gone()), {
              once: true,
            });
        },
      });
      if (this.leaving.signal.aborted) client.session?.end('session_finished');
    } catch (error) {
      if (!(error instanceof TextError) && isFault(problemOf(error)))
        context.ports.log.error({ err: error }, 'a connection could not be forwarded');
      const problem = problemOf(error);
      const text = error instanceof TextError ? error.message : wordProblem(problem, 'en');
      if (!isAccepted)
        this.refuse(
          reject,
          problem.code === 'connect_denied'
            ? ChannelFailure.prohibited
            : ChannelFailure.connectFailed,
          text,
        );
    } finally {
      this.opening--;
    }
  }

  /**
   * Rejects a channel. In English, because the language is unknown here and clients show only
   * ASCII.
   */
  private refuse(reject: () => void, code: number, text: string): void {
    refuseChannel(this.connection, reject, code, text);
  }

  /** Accepts a forwarded connection; undefined if the client has disconnected. */
  private take(accept: () => ServerChannel): ChannelStream | undefined {
    const channel = accept() as ServerChannel | undefined;
    if (!channel) return undefined;
    guardWindow(channel, EXEC_WINDOW, () => this.rejectFlood());
    const stream = new ChannelStream(channel, this.transport);
    this.forwarded.add(stream);
    stream.on('error', () => undefined);
    stream.once('close', () => this.forwarded.delete(stream));
    return stream;
  }

  /** `ssh -J`: terminates the forwarded connection here and answers in place of the server. */
  private jump(accept: () => ServerChannel, address: JumpAddress): void {
    const stream = this.take(accept);
    if (!stream) return;
    const { context, user, remoteAddress } = this;
    resolveJump(context.ssh.targets, user.userId, address).then(
      (server) => {
        if (stream.destroyed) return;
        const onAccount = (connection: Connection, account: string) => {
          const destination = { username: user.username, target: { asset: server.id, account } };
          const inner = new SshConnection({
            context,
            connection,
            transport: stream,
            user,
            destination,
            remoteAddress,
          });
          stream.once('close', () => inner.left());
        };
        answerJump({
          stream,
          server,
          clientName: address.host,
          identity: context.ssh.identity,
          onAccount,
        });
      },
      (error: unknown) => {
        const isText = error instanceof TextError;
        if (!isText)
          context.ports.log.error({ err: error }, 'a forwarded connection could not be answered');
        refuseJump(stream, isText ? error : new TextError(words.jumpFailed));
      },
    );
  }
}

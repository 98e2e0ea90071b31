import type { Duplex } from 'node:stream';
import { type Language, say } from '@sallyport/contract';
import { ChannelStream } from '../../../platform/ssh/channel-stream.ts';
import type { Connection, ServerChannel } from '../../../platform/ssh/ssh2.ts';
import { ChannelFailure, refuseChannel } from '../../../platform/ssh/texts.ts';
import { EXEC_WINDOW, MAX_CHANNELS, MAX_FORWARDED } from '../../limits.ts';
import type { Person } from '../../ports/people.ts';
import { guardWindow } from '../../protocols/ssh/backpressure.ts';
import { problemOf, wordProblem } from '../../refusal.ts';
import type { ForwardAddress } from '../../sessions/forward/forward-session.ts';
import { forwardOpener } from '../../sessions/forward/open-forward.ts';
import { gone, openFor } from '../open-for.ts';
import type { SshContext } from './context.ts';
import type { Destination, TargetName } from './destination.ts';
import { SshForward } from './forward-client.ts';
import { answerJump, type JumpAddress, refuseJump, resolveJump } from './jump.ts';
import type { SignedInUser } from './ports.ts';
import { resolveTarget } from './resolve.ts';
import { Said } from './said.ts';
import { type ChannelOwner, SessionChannel } from './session-channel.ts';
import { words } from './words.ts';

/** What a connection is made of when its user has signed in. */
export interface SignedInConnection {
  readonly context: SshContext;
  readonly connection: Connection;
  readonly transport: Duplex;
  readonly user: SignedInUser;
  readonly destination: Destination;
  readonly remoteAddress: string;
}

/**
 * The connection of a user who has signed in. It offers session channels; forwarded connections to granted servers that end here (`ssh -J`); and, where
 * the client has named a server, connections to that server's own ports. Everything else that a client may ask for (sockets, remote ports, the agent, X11)
 * has no listener, and the library refuses what nobody listens to.
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
  /** Forwarded connections that are not open yet. */
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

  /** The user, as the gateway's sessions know it. */
  person(language: Language): Person {
    const { userId, display, loginId } = this.user;
    return { userId, display, language, remoteAddr: this.remoteAddress, loginFrom: 'ST', loginId };
  }

  /** A channel is gone. */
  forget(channel: SessionChannel): void {
    this.channels.delete(channel);
  }

  /** Ends the connection and with it all sessions. */
  close(): void {
    this.connection.end();
    this.transport.destroy();
    this.left();
  }

  /** The connection is gone. */
  left(): void {
    for (const channel of [...this.channels]) channel.left();
    this.leaving.abort(gone());
    for (const stream of this.forwarded) stream.destroy();
  }

  /** `ssh -L` to the server that the client has named: each connection is a session of its own. */
  private async forward(
    accept: () => ServerChannel,
    reject: () => void,
    target: TargetName,
    address: ForwardAddress,
  ): Promise<void> {
    const { context, user } = this;
    this.opening++;
    let isAccepted = false;
    const client = new SshForward(() => {
      isAccepted = true;
      return this.take(accept);
    });
    try {
      const request = await resolveTarget(context.ssh.targets, user.userId, target);
      const opener = forwardOpener(client, address);
      await openFor({
        ports: context.ports,
        hub: context.hub,
        person: this.person('en'),
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
      if (!(error instanceof Said) && problemOf(error).code === 'internal')
        context.ports.log.error({ err: error }, 'a connection could not be forwarded');
      const problem = problemOf(error);
      const text = error instanceof Said ? error.message : wordProblem(problem, 'en');
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

  /** Refuses a channel. Nobody knows the user's language here, and clients show nothing but ASCII. */
  private refuse(reject: () => void, code: number, text: string): void {
    refuseChannel(this.connection, reject, code, text);
  }

  /** Accepts a forwarded connection; nothing when the client is gone. */
  private take(accept: () => ServerChannel): ChannelStream | undefined {
    const channel = accept() as ServerChannel | undefined;
    if (!channel) return undefined;
    guardWindow(channel, EXEC_WINDOW, () => this.close());
    const stream = new ChannelStream(channel, this.transport);
    this.forwarded.add(stream);
    stream.on('error', () => undefined);
    stream.once('close', () => this.forwarded.delete(stream));
    return stream;
  }

  /** `ssh -J`: the forwarded connection ends here, and the bastion speaks in the server's place. */
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
          askedName: address.host,
          identity: context.ssh.identity,
          onAccount,
        });
      },
      (error: unknown) => {
        const isSaid = error instanceof Said;
        if (!isSaid)
          context.ports.log.error({ err: error }, 'a forwarded connection could not be answered');
        refuseJump(stream, isSaid ? error : new Said(words.jumpFailed));
      },
    );
  }
}

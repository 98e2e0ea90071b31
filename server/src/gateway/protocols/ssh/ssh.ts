import type { Duplex } from 'node:stream';
import {
  type ClientChannel,
  guardWindow,
  limitWindow,
  sendNow,
  sendWindowSize,
  UNREAD_OUTPUT,
} from '@sallyport/ssh';
import { EXEC_WINDOW, LEAST_OUTPUT, MAX_TRANSPORT_BACKLOG, TERMINAL_WINDOW } from '../../limits.ts';
import { terminalBudget } from '../../shared-budget.ts';
import type {
  Connection,
  ExecEvents,
  ExecRequest,
  ForwardEvents,
  Route,
  ShellRequest,
  TargetEvents,
  TargetExec,
  TargetExit,
  TargetFiles,
  TargetForward,
  TargetShell,
} from '../connector.ts';
import { controlsOf, requestExec, requestProgram } from './exec.ts';
import { variablesFor } from './locale.ts';
import { requestFiles } from './sftp/files.ts';
import { inTime, openSshClient } from './ssh-client.ts';
import { ChannelEnd, forwardRefusalOf, type LastHop, peerOf, refusalOf } from './ssh-errors.ts';
import { endClient, openTransport } from './transport.ts';

interface SshConnection extends Connection {
  openShell(request: ShellRequest, events: TargetEvents): Promise<TargetShell>;
  openCommand(request: ShellRequest, events: TargetEvents): Promise<TargetShell>;
  openExec(request: ExecRequest, events: ExecEvents): Promise<TargetExec>;
  openFiles(onEnd: TargetEvents['onEnd']): Promise<TargetFiles>;
  openForward: NonNullable<Connection['openForward']>;
}

/**
 * Connects to an SSH server, directly or through SSH gateways, and authenticates. Leaves nothing
 * open on failure.
 */
export async function connectSsh(route: Route, signal: AbortSignal): Promise<SshConnection> {
  const { target, certificate, hostKeys, timeoutMs, onStage, onOutdated } = route;
  const { stream: transport, close: closeRoute } = await openTransport(route, signal, true);
  try {
    const onAuthenticating = () => onStage('authenticating', target.name);
    const client = await openSshClient({
      hop: target,
      certificate,
      kind: 'asset',
      hostKeys,
      timeoutMs,
      transport,
      onAuthenticating,
      onOutdated,
      signal,
    });
    const close = () => {
      endClient(client);
      closeRoute();
    };
    const lastHop = { client, transport, close, peer: peerOf(target) };
    const peer = { host: `${target.host}:${target.port}` };
    return {
      openShell: (request, events) =>
        inTime(requestShell(lastHop, request, events), timeoutMs, signal, peer),
      openCommand: (request, events) =>
        inTime(
          requestShell({ ...lastHop, close: () => undefined }, request, events),
          timeoutMs,
          signal,
          peer,
        ),
      openExec: (request, events) =>
        inTime(
          requestExec(
            request.keepsConnection ? { ...lastHop, close: () => undefined } : lastHop,
            request,
            events,
          ),
          timeoutMs,
          signal,
          peer,
        ),
      openFiles: (onEnd) => inTime(requestFiles(lastHop, onEnd), timeoutMs, signal, peer),
      openForward: (address, events) =>
        inTime(requestForward(lastHop, address, events), timeoutMs, signal, peer),
      close,
    };
  } catch (error) {
    closeRoute();
    throw error;
  }
}

/** Connects to a port from the last server of a route (RFC 4254, section 7.2). */
function requestForward(
  hop: LastHop,
  { host, port }: { readonly host: string; readonly port: number },
  events: ForwardEvents,
): Promise<TargetForward> {
  const { client, transport, peer } = hop;
  return new Promise((done, failed) => {
    const end = new ChannelEnd(hop, (how, message) => events.onEnd(how, message), failed);
    client.forwardOut('127.0.0.1', 0, host, port, (error, channel) => {
      if (error) {
        failed(
          'reason' in error
            ? forwardRefusalOf(error, { ...peer, host, port })
            : refusalOf(error, peer),
        );
        return;
      }
      end.follow(channel);
      guardWindow(channel, EXEC_WINDOW, end.flooded);
      channel.on('data', (chunk: Buffer) => events.onData(chunk));
      channel.on('end', () => events.onDataEnd());
      channel.on('drain', () => events.onDrain());
      transport.on('drain', () => events.onDrain());
      done(forwardOf(channel, transport, () => end.end('closed')));
    });
  });
}

function forwardOf(channel: ClientChannel, transport: Duplex, end: () => void): TargetForward {
  return {
    write: (chunk) => {
      if (!channel.writable) return true;
      const canContinue = channel.write(chunk);
      return canContinue && transport.writableLength < MAX_TRANSPORT_BACKLOG;
    },
    finishInput: () => {
      if (channel.writable) channel.end();
    },
    pause: () => channel.pause(),
    resume: () => channel.resume(),
    close: () => {
      channel.close();
      end();
    },
  };
}

/** Output of a terminal that may wait in its channel. */
const unread = () => Math.min(UNREAD_OUTPUT, terminalBudget.share / 4);

function requestShell(
  hop: LastHop,
  request: ShellRequest,
  events: TargetEvents,
): Promise<TargetShell> {
  const { client, transport } = hop;
  return new Promise((done, failed) => {
    const end = new ChannelEnd(hop, (how, message) => events.onEnd(how, message), failed);
    const takeWindow = limitWindow(client, LEAST_OUTPUT, () => terminalBudget.share);
    const opened = (channel: ClientChannel) => {
      takeWindow(channel);
      guardWindow(channel, TERMINAL_WINDOW, end.flooded, unread);
      guardWindow(channel.stderr, TERMINAL_WINDOW, end.flooded, unread);
      channel.on('data', events.onData);
      channel.stderr.on('data', events.onData);
      done(shellOf(channel, transport, end));
    };
    const onExit = (exit: TargetExit) => events.onExit?.(exit);
    const { cols, rows, term = 'xterm-256color', modes, command } = request;
    const pty = { term, cols, rows, width: 0, height: 0, ...(modes && { modes }) };
    const env = variablesFor(client, request);
    requestProgram(hop, { command, pty, env }, { end, onExit, opened, failed });
  });
}

function shellOf(channel: ClientChannel, transport: Duplex, end: ChannelEnd): TargetShell {
  return {
    write: (chunk) => {
      if (!channel.writable) return;
      end.typed(chunk);
      channel.write(chunk);
      // The session tracks the keys while the target reads them.
      sendNow(transport);
    },
    get waiting() {
      // Input waits in the transport when the server granted a window and does not read.
      return channel.writableLength + transport.writableLength;
    },
    resize: (cols, rows) => sendWindowSize(channel, cols, rows),
    ...controlsOf(channel, () => end.end('closed')),
  };
}

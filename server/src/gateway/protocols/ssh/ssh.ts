import type {
  Connection,
  ExecEvents,
  ExecRequest,
  Route,
  ShellRequest,
  TargetEnd,
  TargetEvents,
  TargetExec,
  TargetFiles,
  TargetShell,
} from '../connector.ts';
import { requestExec } from './exec.ts';
import { requestForward } from './forward.ts';
import { requestFiles } from './sftp/files.ts';
import { requestShell } from './shell.ts';
import { inTime, openSshClient } from './ssh-client.ts';
import { endClient, openTransport, peerOf } from './transport.ts';

interface SshConnection extends Connection {
  openShell(request: ShellRequest, events: TargetEvents): Promise<TargetShell>;
  openCommand(request: ShellRequest, events: TargetEvents): Promise<TargetShell>;
  openExec(request: ExecRequest, events: ExecEvents): Promise<TargetExec>;
  openFiles(onEnd: (how: TargetEnd) => void): Promise<TargetFiles>;
  openForward: NonNullable<Connection['openForward']>;
}

/** SSH: terminals and files on servers, directly or through SSH gateways. Opens the route and authenticates at the target; nothing is left open when that fails. */
export async function connectSsh(route: Route, signal: AbortSignal): Promise<SshConnection> {
  const { target, hostKeys, timeoutMs, onStage, onOutdated } = route;
  const { stream: transport, close: closeRoute } = await openTransport(route, signal);
  try {
    const onAuthenticating = () => onStage('authenticating', target.name);
    const client = await openSshClient({
      hop: target,
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
    // Between the commands of a connection nothing else listens for its errors.
    client.on('error', () => undefined);
    const lastHop = { client, transport, close, peer: peerOf(target) };
    const answering = { host: `${target.host}:${target.port}` };
    return {
      openShell: (request, events) =>
        inTime(requestShell(lastHop, request, events), timeoutMs, signal, answering),
      openCommand: (request, events) =>
        inTime(
          requestShell({ ...lastHop, close: () => undefined }, request, events),
          timeoutMs,
          signal,
          answering,
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
          answering,
        ),
      openFiles: (onEnd) => inTime(requestFiles(lastHop, onEnd), timeoutMs, signal, answering),
      openForward: (address, events) =>
        inTime(requestForward(lastHop, address, events), timeoutMs, signal, answering),
      close,
    };
  } catch (error) {
    closeRoute();
    throw error;
  }
}

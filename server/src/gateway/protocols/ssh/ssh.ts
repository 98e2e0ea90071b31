import type {
  Connection,
  ExecEvents,
  ExecRequest,
  Route,
  ShellRequest,
  TargetEvents,
  TargetExec,
  TargetFiles,
  TargetShell,
} from '../connector.ts';
import type { TargetEnd } from '../target-end.ts';
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

/**
 * Connects to an SSH server, directly or through SSH gateways, and authenticates. Leaves nothing
 * open on failure.
 */
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
    // Between two commands no other listener handles errors, which would end the process.
    client.on('error', () => undefined);
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

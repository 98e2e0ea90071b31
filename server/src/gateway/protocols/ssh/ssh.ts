import type { Duplex } from 'node:stream';
import type { Client } from '../../../platform/ssh/ssh2.ts';
import type { Hop } from '../../ports.ts';
import { Refusal } from '../../refusal.ts';
import type { Connection, Connector, ExecEvents, ExecRequest, Route, ShellRequest, TargetEvents, TargetExec, TargetShell } from '../connector.ts';
import { openTcp } from '../tcp.ts';
import { requestExec } from './exec.ts';
import { requestShell } from './shell.ts';
import { forwardTo, inTime, openSshClient } from './ssh-client.ts';
import { type Peer, silentRefusalOf } from './ssh-errors.ts';

/** SSH: terminals on servers, directly or through SSH gateways. */
export const ssh = { protocol: 'ssh', sessionKinds: ['terminal'], connect } as const satisfies Connector;

interface SshConnection extends Connection {
  openShell(request: ShellRequest, events: TargetEvents): Promise<TargetShell>;
  openExec(request: ExecRequest, events: ExecEvents): Promise<TargetExec>;
}

/** Opens the route hop by hop; each hop proves its own host key, and nothing is left open when one refuses. */
async function connect(route: Route, signal: AbortSignal): Promise<SshConnection> {
  const { gateways, target, hostKeys, addresses, timeoutMs, onStage } = route;
  const clients: Client[] = [];
  const transports: Duplex[] = [];
  const close = () => {
    for (const client of clients.toReversed()) {
      client.on('error', () => undefined);
      client.end();
    }
  };
  try {
    let previous: Client | undefined;
    for (const [index, hop] of [...gateways, target].entries()) {
      const isTarget = index === gateways.length;
      onStage(isTarget ? 'connecting' : 'gateway', hop.name);
      const transport = previous
        ? await forwardTo(previous, hop, timeoutMs, signal)
        : await openTcp(hop, addresses, timeoutMs, signal).catch((error: unknown) => {
            throw silentRefusalOf(error, peerOf(hop));
          });
      transports.push(transport);
      previous = await openSshClient({
        hop,
        kind: isTarget ? 'asset' : 'gateway',
        hostKeys,
        timeoutMs,
        transport,
        onAuthenticating: () => {
          if (isTarget) onStage('authenticating', hop.name);
        },
        signal,
      });
      clients.push(previous);
    }
    const client = clients.at(-1);
    const transport = transports.at(-1);
    if (!client || !transport) throw new Refusal('internal');
    const lastHop = { client, transport, close, peer: peerOf(target) };
    const answering = { host: `${target.host}:${target.port}` };
    return {
      openShell: (request, events) => inTime(requestShell(lastHop, request, events), timeoutMs, signal, answering),
      openExec: (request, events) => inTime(requestExec(lastHop, request, events), timeoutMs, signal, answering),
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

function peerOf({ host, port, login }: Hop): Peer {
  return { host, port, account: login.username };
}

import type { Problem } from '@sallyport/contract';
import { openTransport } from '../../gateway/protocols/ssh/transport.ts';
import { problemOf, Refusal } from '../../gateway/refusal.ts';
import type { RemotePorts } from '../../gateway/remote/run-on-hosts.ts';
import type { HostOptions } from './remote-hosts.ts';
import { gatewayOf } from './routes-to-assets.ts';

const STEP_SECONDS = 5;

/**
 * Tests a gateway: signs in and opens a forwarded connection to a port of the gateway itself.
 * Returns the problem, or undefined.
 */
export async function tryGateway(
  id: string,
  port: number,
  { db, vault, hostKeys, addresses, log }: RemotePorts & HostOptions,
): Promise<Problem | undefined> {
  try {
    const hop = await gatewayOf(id, db, vault);
    if (!hop) throw new Refusal('connect_unreachable', { host: id });
    const target = { id, name: hop.name, host: '127.0.0.1', port, login: hop.login };
    const timeoutMs = STEP_SECONDS * 1000;
    const { stream, close } = await openTransport(
      { gateways: [hop], target, hostKeys, addresses, timeoutMs, onStage: () => undefined },
      AbortSignal.timeout(3 * timeoutMs),
    );
    stream.on('error', () => undefined);
    stream.destroy();
    close();
    return undefined;
  } catch (error) {
    const problem =
      error instanceof Error && error.name === 'TimeoutError'
        ? ({ code: 'connect_timeout', params: { host: id } } as const)
        : problemOf(error);
    if (problem.code === 'internal')
      log.error({ gateway: id, err: error }, 'a gateway could not be tried by a defect');
    return problem;
  }
}

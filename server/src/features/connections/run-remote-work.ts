import type { Problem } from '@sallyport/contract';
import { openTransport } from '../../gateway/protocols/ssh/transport.ts';
import { problemOf, Refusal } from '../../gateway/refusal.ts';
import type { RemoteModule } from '../../gateway/remote/module.ts';
import { authorizedKey } from '../../gateway/remote/modules/authorized-key.ts';
import { changeKey } from '../../gateway/remote/modules/change-key.ts';
import { changePassword } from '../../gateway/remote/modules/change-password.ts';
import { command, script } from '../../gateway/remote/modules/command.ts';
import { facts } from '../../gateway/remote/modules/facts.ts';
import { gatherUsers } from '../../gateway/remote/modules/gather-users.ts';
import { password } from '../../gateway/remote/modules/password.ts';
import { ping } from '../../gateway/remote/modules/ping.ts';
import { refusesCommands } from '../../gateway/remote/probe-services.ts';
import {
  type RemoteHost,
  type RemotePorts,
  type RemoteTask,
  runOnHosts,
  workOnHosts,
} from '../../gateway/remote/run-on-hosts.ts';
import { textOf } from '../../gateway/remote/words.ts';
import { openRemoteFiles } from './remote-files.ts';
import { type HostOptions, hostsFor, obstaclesOf } from './remote-hosts.ts';
import { pushTask } from './remote-push.ts';
import type { AssetReport, AssetRun, RemoteKinds, RemoteWork } from './remote-work.ts';
import { routeToGateway, type TunnelOf } from './routes-to-assets.ts';

const STEP_SECONDS = 5;

interface Tunnels {
  readonly tunnelOf: TunnelOf;
}

/**
 * Tests a gateway: signs in, through the domains before it, and opens a forwarded connection to a
 * port of the gateway itself.
 * Returns the problem, or undefined.
 */
async function tryGateway(
  id: string,
  port: number,
  { db, vault, tunnelOf, hostKeys, addresses, log }: RemotePorts & HostOptions & Tunnels,
): Promise<Problem | undefined> {
  try {
    const route = await routeToGateway(id, { db, vault, tunnelOf });
    if (!route) throw new Refusal('connect_unreachable', { host: id });
    const { gateway, before } = route;
    const gateways = [...before, gateway];
    const target = { id, name: gateway.name, host: '127.0.0.1', port, login: gateway.login };
    const timeoutMs = STEP_SECONDS * 1000;
    const { stream, close } = await openTransport(
      { gateways, target, hostKeys, addresses, timeoutMs, onStage: () => undefined },
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
    // The site answered. It need not permit connections to itself.
    if (problem.code === 'connect_site_refused') return undefined;
    if (problem.code === 'internal')
      log.error({ gateway: id, err: error }, 'a gateway could not be tried by a defect');
    return problem;
  }
}

const MODULES: {
  readonly [Kind in keyof RemoteKinds]: RemoteModule<
    RemoteKinds[Kind]['input'],
    RemoteKinds[Kind]['result']
  >;
} = {
  ping,
  facts,
  command,
  script,
  password,
  'change-password': changePassword,
  'change-key': changeKey,
  'authorized-key': authorizedKey,
  'gather-users': gatherUsers,
};

/** Runs work on assets. Credentials are opened when the turn of an asset comes. */
export function createRemoteWork(options: RemotePorts & HostOptions & Tunnels): RemoteWork {
  return {
    run: (kind, input, run) => workOn(options, MODULES[kind], input, run),
    push: (systemUserId, usernamesOf, run) =>
      workOnHosts(options, {
        ...overAssets(options, run),
        ...pushTask(systemUserId, usernamesOf, options),
      }),
    obstacles: (ids) => obstaclesOf(ids, options),
    openFiles: (account, signal) => openRemoteFiles(account, signal, options),
    tryGateway: (id, port) => tryGateway(id, port, options),
  };
}

function workOn<Input, Result>(
  options: RemotePorts & HostOptions & Tunnels,
  module: RemoteModule<Input, Result>,
  input: Input | ((assetId: string) => Promise<Input>),
  run: AssetRun<Result>,
): Promise<void> {
  const tested =
    module.name === ping.name
      ? () => module.result({ facts: [], output: '', errors: '', isCut: false, status: 0 })
      : undefined;
  return runOnHosts(options, {
    ...overAssets(options, run, tested),
    module,
    input: isFunction(input) ? ({ id }) => input(id) : input,
    // A test succeeds when the port answers.
    ...(tested && { whenTried: tested }),
  });
}

/**
 * Maps assets to hosts, and host reports to asset reports. `tested` makes the result of a test
 * whose sign-in succeeded.
 */
function overAssets<Result>(
  options: HostOptions,
  run: AssetRun<Result>,
  tested?: () => Result,
): Omit<RemoteTask<Result>, 'name' | 'prepare'> {
  const { as = { kind: 'admin_user' }, onOutput, decide } = run;
  const usernames = new Map<string, string>();
  const about = (assetId: string, name: string, milliseconds: number) => {
    const username = usernames.get(assetId) ?? '';
    usernames.delete(assetId);
    return { assetId, name, username, milliseconds };
  };
  /** Yields assets that can be worked on; reports the others as skipped at once. */
  async function* hosts(): AsyncGenerator<RemoteHost> {
    for await (const { host, row, reason } of hostsFor(
      as,
      { ...run, purpose: tested ? 'test' : 'commands' },
      options,
    )) {
      if (run.signal.aborted) return;
      usernames.set(row.id, row.username ?? '');
      if (host) yield host;
      else
        await run.onReport({
          ...about(row.id, row.hostname, 0),
          state: 'skipped',
          reason,
        } satisfies AssetReport<Result>);
    }
  }
  return {
    hosts: hosts(),
    parallel: run.parallel,
    signal: run.signal,
    check: run.check ?? false,
    probes: tested !== undefined,
    ...(run.secondsPerAsset !== undefined && { secondsPerHost: run.secondsPerAsset }),
    ...(decide && { decide: ({ id }: RemoteHost) => decide(id) }),
    ...(onOutput && {
      onOutput: ({ id }: RemoteHost, text: string, isError: boolean) => onOutput(id, text, isError),
    }),
    async onReport({ host, milliseconds, ...report }) {
      const { services } = report;
      const asset = {
        ...about(host.id, host.name, milliseconds),
        ...(services && { services }),
      };
      if (report.state === 'done')
        await run.onReport({
          ...asset,
          state: 'done',
          changed: report.changed,
          result: report.result,
        });
      // A test of an account tests the sign-in. Devices and servers of files run no commands.
      else if (tested && services && as.kind !== 'admin_user' && refusesCommands(report.problem))
        await run.onReport({ ...asset, state: 'done', changed: [], result: tested() });
      else
        await run.onReport({
          ...asset,
          state: 'failed',
          code: report.problem.code,
          reached: report.reached,
          reason: textOf(report.problem),
          ...(report.detail && { detail: report.detail }),
        });
    },
  };
}

function isFunction<Input>(
  input: Input | ((assetId: string) => Promise<Input>),
): input is (assetId: string) => Promise<Input> {
  return typeof input === 'function';
}

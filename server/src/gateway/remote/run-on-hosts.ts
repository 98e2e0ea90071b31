import type { Charset } from '@sallyport/contract';
import type { AddressPolicy } from '../../platform/address-policy.ts';
import { Invalid } from '../../platform/errors.ts';
import type { GatewayLog, Hop, HostKeys } from '../ports.ts';
import type { Connection, Route } from '../protocols/connector.ts';
import { connectSsh } from '../protocols/ssh/ssh.ts';
import { isFault } from '../refusal.ts';
import type { Become } from './escalation.ts';
import { shakeHands, type TriedProtocol } from './handshake.ts';
import { type RemoteModule, type RemotePlatform, valuesFor } from './module.ts';
import { type AccountServices, probeServices } from './probe-services.ts';
import { type HostAnswer, inputProblem, ReportedRefusal } from './report.ts';
import { runOnHost } from './run-on-host.ts';
import { runOnWindows } from './windows/run-on-windows.ts';
import { type RemoteProblem, RemoteRefusal, remoteProblemOf } from './words.ts';

export const PARALLEL_HOSTS = 50;
const HOST_SECONDS = 60;
/** Timeout of each step of connecting. */
const CONNECT_SECONDS = 10;

/**
 * A host of a run. `open` is called when its turn comes, so that credentials are in memory only
 * during the work.
 */
export interface RemoteHost {
  readonly id: string;
  readonly name: string;
  readonly platform: RemotePlatform;
  readonly charset: Charset;
  /** Set if only the host's port is tested. Defaults to work over SSH. */
  readonly tried?: TriedProtocol;
  /** @throws Refusal if no route exists */
  open(): Promise<OpenedHost>;
}

/** The route to a host, with opened credentials. */
export interface OpenedHost {
  readonly target: Hop;
  readonly gateways: readonly Hop[];
  readonly become: Become;
}

export type HostReport<Result> = {
  readonly host: Pick<RemoteHost, 'id' | 'name'>;
  readonly milliseconds: number;
  /** Set if the run probes and the account was signed in. */
  readonly services?: AccountServices;
} & (
  | { readonly state: 'done'; readonly changed: readonly string[]; readonly result: Result }
  /** `reached`: the connection was signed in. `detail`: error output of the host; foreign text. */
  | {
      readonly state: 'failed';
      readonly problem: RemoteProblem;
      readonly reached: boolean;
      readonly detail?: string;
    }
);

/** The ports of the gateway that remote work needs. */
export interface RemotePorts {
  readonly hostKeys: HostKeys;
  readonly addresses: AddressPolicy;
  readonly log: GatewayLog;
}

/** A connected host that runs modules, one after another. */
export interface HostSession {
  /** Dry run: modules change nothing. */
  readonly isCheck: boolean;
  readonly platform: RemotePlatform;
  /** @throws Invalid, RemoteRefusal, Refusal, or the reason of the run's signal */
  run<Input, Result>(
    module: RemoteModule<Input, Result>,
    input: Input,
  ): Promise<HostAnswer<Result>>;
}

interface HostsRun<Result> {
  readonly hosts: Iterable<RemoteHost> | AsyncIterable<RemoteHost>;
  /** Dry run: reports changes without making them. */
  readonly check?: boolean;
  readonly parallel?: number;
  readonly secondsPerHost?: number;
  /** Cancels the run: waiting hosts are reported as canceled, and connections are closed. */
  readonly signal: AbortSignal;
  /** Also finds what the server offers to the account. */
  readonly probes?: boolean;
  /** Called for each finished host; the run awaits it. */
  onReport(report: HostReport<Result>): void | Promise<void>;
  readonly onOutput?: (host: RemoteHost, text: string, isError: boolean) => void;
  /**
   * Decides whether to keep a module's change on a host, for modules that ask. The connection stays
   * open meanwhile.
   */
  readonly decide?: ((host: RemoteHost) => Promise<boolean>) | undefined;
}

/** A run of one module on many hosts. */
export interface RemoteRun<Input, Result> extends HostsRun<Result> {
  readonly module: RemoteModule<Input, Result>;
  /**
   * One input for all hosts, or one per host. Validated before the host is contacted; a common
   * input before any is.
   */
  readonly input: Input | ((host: RemoteHost) => Input | Promise<Input>);
  /** See `RemoteTask`. */
  readonly whenTried?: () => Result;
}

/** A run of several modules per host, over one connection. */
export interface RemoteTask<Result> extends HostsRun<Result> {
  /** Name in the log. */
  readonly name: string;
  /**
   * Result for hosts of which only the port is tested. Without it such hosts are reported as
   * unsupported.
   */
  readonly whenTried?: () => Result;
  /** Prepares the work for a host, before it is contacted. */
  prepare(host: RemoteHost): Promise<(session: HostSession) => Promise<HostAnswer<Result>>>;
}

/**
 * Runs a module on many hosts.
 * @throws Invalid if the input is wrong, before any host is contacted
 */
export async function runOnHosts<Input, Result>(
  ports: RemotePorts,
  run: RemoteRun<Input, Result>,
): Promise<void> {
  const { input, module } = run;
  // Names that are valid on some platforms only are rejected per host.
  if (!isFunction(input)) checkAnywhere(module, input);
  await workOnHosts(ports, {
    ...run,
    name: module.name,
    async prepare(host) {
      const own = isFunction(input) ? await input(host) : input;
      valuesFor(module, own, host.platform);
      return (session) => session.run(module, own);
    },
  });
}

/** @throws Invalid if the input is wrong on every platform */
function checkAnywhere<Input>(module: RemoteModule<Input, unknown>, input: Input): void {
  try {
    module.values(input);
  } catch (error) {
    if ('refused' in module.windows) throw error;
    try {
      module.windows.values(input);
    } catch {
      throw error;
    }
  }
}

/** Runs a task on many hosts, with limited parallelism. */
export async function workOnHosts<Result>(
  ports: RemotePorts,
  run: RemoteTask<Result>,
): Promise<void> {
  const turns =
    Symbol.asyncIterator in run.hosts
      ? run.hosts[Symbol.asyncIterator]()
      : run.hosts[Symbol.iterator]();
  const work = async () => {
    for (let turn = await turns.next(); !turn.done; turn = await turns.next())
      await run.onReport(await reportOf(ports, run, turn.value));
  };
  await Promise.all(Array.from({ length: Math.max(1, run.parallel ?? PARALLEL_HOSTS) }, work));
}

async function reportOf<Result>(
  ports: RemotePorts,
  run: RemoteTask<Result>,
  host: RemoteHost,
): Promise<HostReport<Result>> {
  const started = performance.now();
  const seconds = run.secondsPerHost ?? HOST_SECONDS;
  const about = () => ({
    host: { id: host.id, name: host.name },
    milliseconds: Math.round(performance.now() - started),
  });
  const late = AbortSignal.timeout(seconds * 1000);
  const signal = AbortSignal.any([run.signal, late]);
  let connection: Connection | undefined;
  try {
    if (run.signal.aborted) throw new RemoteRefusal('remote_canceled');
    const { hostKeys, addresses } = ports;
    const route = ({ target, gateways }: OpenedHost): Route => ({
      gateways,
      target,
      hostKeys,
      addresses,
      timeoutMs: Math.min(seconds, CONNECT_SECONDS) * 1000,
      onStage: () => undefined,
    });
    if (host.tried !== undefined) {
      if (!run.whenTried) throw new RemoteRefusal('remote_platform', { platform: host.platform });
      await shakeHands(host.tried, route(await host.open()), signal);
      return { ...about(), state: 'done', changed: [], result: run.whenTried() };
    }
    if (host.platform === 'Other')
      throw new RemoteRefusal('remote_platform', { platform: host.platform });
    const work = await run.prepare(host);
    const openedHost = await host.open();
    const { become } = openedHost;
    const certificate = await openedHost.target.login.certify?.(undefined);
    const opened = await connectSsh({ ...route(openedHost), certificate }, signal);
    connection = opened;
    const { onOutput, decide, check: isCheck = false } = run;
    const answer = await work({
      isCheck,
      platform: host.platform,
      run: (module, input) =>
        (host.platform === 'Windows' ? runOnWindows : runOnHost)(opened, {
          module,
          values: valuesFor(module, input, host.platform),
          isCheck,
          become: module.runsAs === 'root' ? become : { method: 'none' },
          platform: host.platform,
          charset: host.charset,
          signal,
          ...(decide && { decide: () => decide(host) }),
          ...(onOutput && {
            onOutput: (text: string, isError: boolean) => onOutput(host, text, isError),
          }),
        }),
    });
    const services = run.probes ? await probeServices(opened, undefined) : undefined;
    return { ...about(), state: 'done', ...answer, ...(services && { services }) };
  } catch (error) {
    const problem: RemoteProblem = run.signal.aborted
      ? { code: 'remote_canceled' }
      : late.aborted
        ? { code: 'remote_timeout', params: { seconds } }
        : error instanceof Invalid
          ? inputProblem(error)
          : remoteProblemOf(error);
    if (isFault(problem))
      ports.log.error(
        { host: host.id, work: run.name, err: error },
        'remote work failed with an unexpected error',
      );
    const detail =
      error instanceof ReportedRefusal && error.detail !== '' ? { detail: error.detail } : {};
    const services =
      run.probes && connection && !run.signal.aborted
        ? await probeServices(connection, problem)
        : undefined;
    const reached = connection !== undefined;
    return {
      ...about(),
      state: 'failed',
      problem,
      reached,
      ...detail,
      ...(services && { services }),
    };
  } finally {
    connection?.close();
  }
}

function isFunction<Input>(
  input: Input | ((host: RemoteHost) => Input | Promise<Input>),
): input is (host: RemoteHost) => Input | Promise<Input> {
  return typeof input === 'function';
}

import type { AddressPolicy } from '../../platform/address-policy.ts';
import { Invalid } from '../../platform/errors.ts';
import type { GatewayLog, Hop, HostKeys } from '../ports.ts';
import type { Connection, Route } from '../protocols/connector.ts';
import { connectSsh } from '../protocols/ssh/ssh.ts';
import type { Become } from './escalation.ts';
import { shakeHands, type TriedProtocol } from './handshake.ts';
import { type RemoteModule, type RemotePlatform, valuesFor } from './module.ts';
import { type HostAnswer, inputProblem, ReportedRefusal } from './report.ts';
import { runOnHost } from './run-on-host.ts';
import { runOnWindows } from './windows/run-on-windows.ts';
import { type RemoteProblem, RemoteRefusal, remoteProblemOf } from './words.ts';

/** How many hosts are worked on at a time, unless the caller says otherwise. */
export const PARALLEL_HOSTS = 50;
/** How long one host may take, unless the caller says otherwise. */
const HOST_SECONDS = 60;
/** How long each step of connecting may take. */
const CONNECT_SECONDS = 10;

/** A host of a run. Its credentials and its route are asked for when its turn comes, so that they are in memory only while it is worked on. */
export interface RemoteHost {
  readonly id: string;
  readonly name: string;
  readonly platform: RemotePlatform;
  readonly charset: 'utf8' | 'gbk';
  /** The host is not worked on: only its port is tried. SSH unless given. */
  readonly tried?: TriedProtocol;
  /** @throws Refusal when there is none */
  open(): Promise<OpenedHost>;
}

/** The way to a host, with its credentials opened. */
export interface OpenedHost {
  readonly target: Hop;
  readonly gateways: readonly Hop[];
  readonly become: Become;
}

/** What became of one host. */
export type HostReport<Result> = {
  readonly host: Pick<RemoteHost, 'id' | 'name'>;
  readonly milliseconds: number;
} & (
  | { readonly state: 'done'; readonly changed: readonly string[]; readonly result: Result }
  /** `reached`: the connection was open and signed in. `detail`: what the programs of the host said; it is no text of ours. */
  | {
      readonly state: 'failed';
      readonly problem: RemoteProblem;
      readonly reached: boolean;
      readonly detail?: string;
    }
);

/** What is needed of the gateway. */
export interface RemotePorts {
  readonly hostKeys: HostKeys;
  readonly addresses: AddressPolicy;
  readonly log: GatewayLog;
}

/** A connected host on which modules run, one after the other. */
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
  /** Dry run: says what would change and changes nothing. */
  readonly check?: boolean;
  readonly parallel?: number;
  readonly secondsPerHost?: number;
  /** Cancels the run: hosts that wait are reported as canceled, connections are closed. */
  readonly signal: AbortSignal;
  /** Called for each host as soon as it is over; the run waits for it. */
  onReport(report: HostReport<Result>): void | Promise<void>;
  readonly onOutput?: (host: RemoteHost, text: string, isError: boolean) => void;
  /** Says whether what a module did on a host is kept, for modules that ask; while it decides, the connection stays open. */
  readonly decide?: ((host: RemoteHost) => Promise<boolean>) | undefined;
}

/** A run of one module on many hosts. */
export interface RemoteRun<Input, Result> extends HostsRun<Result> {
  readonly module: RemoteModule<Input, Result>;
  /** The same for every host, or one for each. Checked before the host is contacted; one for all before any is. */
  readonly input: Input | ((host: RemoteHost) => Input | Promise<Input>);
  /** As in `RemoteTask`. */
  readonly whenTried?: () => Result;
}

/** A run of more than one module on each host, over one connection. */
export interface RemoteTask<Result> extends HostsRun<Result> {
  /** For the log. */
  readonly name: string;
  /** What a host answers that is only tried, because modules do not run there. Absent: nothing can be done there. */
  readonly whenTried?: () => Result;
  /** Prepares what is done on a host, before it is contacted. */
  prepare(host: RemoteHost): Promise<(session: HostSession) => Promise<HostAnswer<Result>>>;
}

/** Runs a module on many hosts. @throws Invalid when the input is wrong; nothing was contacted then */
export async function runOnHosts<Input, Result>(
  ports: RemotePorts,
  run: RemoteRun<Input, Result>,
): Promise<void> {
  const { input, module } = run;
  // Names that only Windows has, or only others have, are refused host by host.
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

/** @throws Invalid when the input is wrong on every platform */
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

/** Does something with modules on many hosts, some at a time. */
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
    const way = await host.open();
    const { become } = way;
    const opened = await connectSsh(route(way), signal);
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
    return { ...about(), state: 'done', ...answer };
  } catch (error) {
    const problem: RemoteProblem = run.signal.aborted
      ? { code: 'remote_canceled' }
      : late.aborted
        ? { code: 'remote_timeout', params: { seconds } }
        : error instanceof Invalid
          ? inputProblem(error)
          : remoteProblemOf(error);
    if (problem.code === 'internal')
      ports.log.error(
        { host: host.id, work: run.name, err: error },
        'remote work failed by a defect',
      );
    const detail =
      error instanceof ReportedRefusal && error.detail !== '' ? { detail: error.detail } : {};
    return { ...about(), state: 'failed', problem, reached: connection !== undefined, ...detail };
  } finally {
    connection?.close();
  }
}

function isFunction<Input>(
  input: Input | ((host: RemoteHost) => Input | Promise<Input>),
): input is (host: RemoteHost) => Input | Promise<Input> {
  return typeof input === 'function';
}

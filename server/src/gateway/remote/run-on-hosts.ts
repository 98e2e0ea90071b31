import type { AddressPolicy } from '../address-policy.ts';
import type { GatewayLog, Hop, HostKeys } from '../ports.ts';
import type { Connection } from '../protocols/connector.ts';
import { ssh } from '../protocols/ssh/ssh.ts';
import type { Become } from './escalation.ts';
import type { RemoteModule, RemotePlatform } from './module.ts';
import { ReportedRefusal, runOnHost } from './run-on-host.ts';
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
  /** @throws Refusal when there is none */
  open(): Promise<{ readonly target: Hop; readonly gateways: readonly Hop[]; readonly become: Become }>;
}

/** What became of one host. */
export type HostReport<Result> = {
  readonly host: Pick<RemoteHost, 'id' | 'name'>;
  readonly milliseconds: number;
} & (
  | { readonly state: 'done'; readonly changed: readonly string[]; readonly result: Result }
  /** `reached`: the connection was open and signed in. `detail`: what the programs of the host said; it is no text of ours. */
  | { readonly state: 'failed'; readonly problem: RemoteProblem; readonly reached: boolean; readonly detail?: string }
);

/** What is needed of the gateway. */
export interface RemotePorts {
  readonly hostKeys: HostKeys;
  readonly addresses: AddressPolicy;
  readonly log: GatewayLog;
}

/** A run of one module on many hosts. */
export interface RemoteRun<Input, Result> {
  readonly module: RemoteModule<Input, Result>;
  /** The same for every host, or one for each. Checked before the host is contacted; one for all before any is. */
  readonly input: Input | ((host: RemoteHost) => Input | Promise<Input>);
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
}

/** Runs a module on many hosts. @throws Invalid when the input is wrong; nothing was contacted then */
export async function runOnHosts<Input, Result>(ports: RemotePorts, run: RemoteRun<Input, Result>): Promise<void> {
  const { input, module } = run;
  const common = isFunction(input) ? undefined : module.values(input);
  const turns = Symbol.asyncIterator in run.hosts ? run.hosts[Symbol.asyncIterator]() : run.hosts[Symbol.iterator]();
  const work = async () => {
    for (let turn = await turns.next(); !turn.done; turn = await turns.next()) {
      const host = turn.value;
      await run.onReport(await reportOf(ports, run, host, async () => common ?? module.values(isFunction(input) ? await input(host) : input)));
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, run.parallel ?? PARALLEL_HOSTS) }, work));
}

async function reportOf<Input, Result>(
  ports: RemotePorts,
  run: RemoteRun<Input, Result>,
  host: RemoteHost,
  valuesOf: () => Promise<readonly string[]>,
): Promise<HostReport<Result>> {
  const started = performance.now();
  const { module } = run;
  const seconds = run.secondsPerHost ?? HOST_SECONDS;
  const about = () => ({ host: { id: host.id, name: host.name }, milliseconds: Math.round(performance.now() - started) });
  const late = AbortSignal.timeout(seconds * 1000);
  const signal = AbortSignal.any([run.signal, late]);
  let reached = false;
  try {
    if (run.signal.aborted) throw new RemoteRefusal('remote_canceled');
    if (host.platform === 'Windows' || host.platform === 'Other') throw new RemoteRefusal('remote_platform', { platform: host.platform });
    const values = await valuesOf();
    const { target, gateways, become } = await host.open();
    const connection: Connection = await ssh.connect(
      {
        gateways,
        target,
        hostKeys: ports.hostKeys,
        addresses: ports.addresses,
        timeoutMs: Math.min(seconds, CONNECT_SECONDS) * 1000,
        onStage: () => undefined,
      },
      signal,
    );
    reached = true;
    const answer = await runOnHost(connection, {
      module,
      values,
      isCheck: run.check ?? false,
      become: module.runsAs === 'root' ? become : { method: 'none' },
      charset: host.charset,
      signal,
      ...(run.onOutput && { onOutput: (text: string, isError: boolean) => run.onOutput?.(host, text, isError) }),
    });
    return { ...about(), state: 'done', ...answer };
  } catch (error) {
    const problem: RemoteProblem = run.signal.aborted
      ? { code: 'remote_canceled' }
      : late.aborted
        ? { code: 'remote_timeout', params: { seconds } }
        : remoteProblemOf(error);
    if (problem.code === 'internal') ports.log.error({ host: host.id, module: module.name, err: error }, 'remote work failed by a defect');
    const detail = error instanceof ReportedRefusal && error.detail !== '' ? { detail: error.detail } : {};
    return { ...about(), state: 'failed', problem, reached, ...detail };
  }
}

function isFunction<Input>(input: Input | ((host: RemoteHost) => Input | Promise<Input>)): input is (host: RemoteHost) => Input | Promise<Input> {
  return typeof input === 'function';
}

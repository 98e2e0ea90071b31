import type { Become } from '../../gateway/remote/escalation.ts';
import type { RemoteModule } from '../../gateway/remote/module.ts';
import { type HostReport, type RemoteHost, runOnHosts } from '../../gateway/remote/run-on-hosts.ts';
import { trustTestKeys } from '../ssh/shell.ts';
import type { PrivateHost } from './private-host.ts';

const quiet = () => undefined;
export const PORTS = {
  hostKeys: trustTestKeys,
  addresses: { allows: () => true },
  log: { info: quiet, warn: quiet, error: quiet },
};

/** A host of a run, with a key login. */
export function as(
  host: PrivateHost,
  username: string,
  become: Become = { method: 'none' },
  changes: Partial<RemoteHost> = {},
): RemoteHost {
  const login = { username, privateKey: host.privateKey };
  return {
    id: `${username}@${host.port}`,
    name: 'box',
    platform: 'Linux',
    charset: 'utf8',
    open: async () => ({
      target: { id: 'box', name: 'box', host: host.host, port: host.port, login },
      gateways: [],
      become,
    }),
    ...changes,
  };
}

export async function once<Input, Result>(
  host: RemoteHost,
  module: RemoteModule<Input, Result>,
  input: Input,
  more: {
    readonly check?: boolean;
    readonly signal?: AbortSignal;
    readonly secondsPerHost?: number;
  } = {},
): Promise<HostReport<Result>> {
  const reports: HostReport<Result>[] = [];
  await runOnHosts(PORTS, {
    module,
    input,
    hosts: [host],
    signal: new AbortController().signal,
    onReport: (report) => {
      reports.push(report);
    },
    ...more,
  });
  const [report] = reports;
  if (!report || reports.length > 1) throw new Error(`${reports.length} reports of one host`);
  return report;
}

/** The changes, or the whole report of a failure. */
export const changed = (report: HostReport<unknown>) =>
  report.state === 'done' ? report.changed : report;
/** The problem code, or the whole report of a success. */
export const code = (report: HostReport<unknown>) =>
  report.state === 'failed' ? report.problem.code : report;

import { type Family, gauge } from '../../platform/metrics/open-metrics.ts';
import {
  drainingProcesses,
  isDraining,
  missingProcesses,
} from '../../platform/process/supervisor.ts';

/** Families of the processes of a server that has `count` of one version. */
export function processFamilies(count: number, sessions: number): readonly Family[] {
  const missing = missingProcesses().length;
  const isReplaced = isDraining();
  return [
    gauge(
      'sallyport_sessions_replaced',
      'Live sessions in processes that an upgrade has replaced.',
      isReplaced ? sessions : 0,
    ),
    gauge('sallyport_processes', 'Processes of this server, by whether they run.', [
      { labels: { state: 'running' }, value: isReplaced ? 0 : count - missing },
      { labels: { state: 'missing' }, value: isReplaced ? 0 : missing },
      { labels: { state: 'replaced' }, value: drainingProcesses().length },
    ]),
  ];
}

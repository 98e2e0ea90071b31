/** A process of the simulated machine. */
export interface PretendedProcess {
  readonly pid: number;
  readonly user: string;
  readonly name: string;
  readonly cpu: number;
  readonly memory: number;
}

const PROCESSES = [
  { pid: 1, user: 'root', name: 'init', cpu: 0, memory: 0.1 },
  { pid: 412, user: 'root', name: 'cron', cpu: 0, memory: 0.1 },
  { pid: 455, user: 'root', name: 'sshd', cpu: 0.1, memory: 0.2 },
  { pid: 810, user: 'root', name: 'nginx: master', cpu: 0, memory: 0.3 },
  { pid: 812, user: 'www-data', name: 'nginx: worker', cpu: 3, memory: 1.1 },
  { pid: 813, user: 'www-data', name: 'nginx: worker', cpu: 2.4, memory: 1.1 },
  { pid: 901, user: 'app', name: 'shop-api', cpu: 11, memory: 14.2 },
  { pid: 944, user: 'app', name: 'shop-queue', cpu: 4, memory: 6.5 },
  { pid: 1207, user: 'demo', name: 'sh', cpu: 0, memory: 0.1 },
];

/** Returns the processes at a moment, busiest first, with slowly varying load. */
export function processTable(now: number): readonly PretendedProcess[] {
  const wander = (pid: number) =>
    1 + 0.4 * Math.sin(now / 3000 + pid) + 0.2 * Math.sin(now / 700 + pid * 3);
  return PROCESSES.map((process) => ({ ...process, cpu: process.cpu * wander(process.pid) })).sort(
    (a, b) => b.cpu - a.cpu || a.pid - b.pid,
  );
}

/** Simulated uptime before the visit: 41 days, 3 hours and 27 minutes. */
const SECONDS_BEFORE = 41 * 86_400 + 3 * 3600 + 27 * 60;

/** Returns the first line of `uptime` and `top`. */
export function uptimeLine(startedAt: Date): string {
  const seconds = Math.floor((Date.now() - startedAt.getTime()) / 1000) + SECONDS_BEFORE;
  const days = Math.floor(seconds / 86_400);
  const clock = `${Math.floor((seconds % 86_400) / 3600)}:${String(Math.floor((seconds % 3600) / 60)).padStart(2, '0')}`;
  return `${new Date().toTimeString().slice(0, 8)} up ${days} days, ${clock}, 1 user, load average: 0.31, 0.27, 0.22`;
}

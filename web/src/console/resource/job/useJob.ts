import { JOB_SOCKET_PATH, type JobLine, type JobMessage, job, type Row } from '@sallyport/contract';
import { useEffect, useState } from 'react';
import { api } from '../../../kit/api.ts';
import { askFirst } from '../../../kit/dialogs/confirm.ts';
import { t } from '../../../kit/i18n/index.ts';
import { objectUrl } from '../source.ts';
import { words } from './words.ts';

export type Job = Row<typeof job>;

/** The current state of a job, with the newest lines of its log. */
export interface JobModel {
  /** Undefined before the first answer. */
  readonly job: Job | undefined;
  readonly lines: readonly JobLine[];
  /** The reason for the end of updates: an unknown job or lost access; empty otherwise. */
  readonly problem: string;
  readonly isOver: boolean;
}

/** Maximum log lines in the browser, equal to the limit on the server. */
const MAXIMUM_LINES = 1_000;

const RETRY_MILLISECONDS = [500, 1_000, 2_000, 5_000, 10_000];

const NOTHING: Omit<JobModel, 'isOver'> = { job: undefined, lines: [], problem: '' };

/** Returns true if a job has ended. */
export const isOver = (row: Pick<Job, 'state'> | undefined) =>
  row !== undefined && row.state !== 'queued' && row.state !== 'running';

/** Applies a server message to the state. */
export function afterMessage(
  model: Omit<JobModel, 'isOver'>,
  message: JobMessage,
): Omit<JobModel, 'isOver'> {
  if (message.type === 'job') return { ...model, job: message.job };
  if (message.type === 'closed') return { ...model, problem: message.message };
  // After a reconnect the server starts again at its first stored line; skip known lines.
  const last = model.lines.at(-1)?.line ?? 0;
  return {
    ...model,
    lines: [...model.lines, ...message.lines.filter(({ line }) => line > last)].slice(
      -MAXIMUM_LINES,
    ),
  };
}

function addressOf(id: string, beginsLater: boolean): string {
  const address = new URL(JOB_SOCKET_PATH, location.href);
  address.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
  address.searchParams.set('job', id);
  if (beginsLater) address.searchParams.set('wait', '1');
  return address.href;
}

interface JobOptions {
  /** Increment to watch a job that was started again. */
  readonly round?: number;
  /** The job does not exist yet; a pending request creates it. */
  readonly beginsLater?: boolean;
}

/** Watches a job until it ends, and reconnects after a lost connection. */
export function useJob(
  id: string | undefined,
  { round = 0, beginsLater = false }: JobOptions = {},
): JobModel {
  const [model, setModel] = useState(NOTHING);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a further round opens a new socket
  useEffect(() => {
    setModel(NOTHING);
    if (id === undefined) return undefined;
    let socket: WebSocket | undefined;
    let timer: number | undefined;
    let failures = 0;
    let hasEnded = false;
    const connect = () => {
      socket = new WebSocket(addressOf(id, beginsLater));
      socket.onmessage = ({ data }) => {
        const message = JSON.parse(String(data)) as JobMessage;
        failures = 0;
        hasEnded ||= message.type === 'closed' || (message.type === 'job' && isOver(message.job));
        setModel((known) => afterMessage(known, message));
      };
      socket.onclose = () => {
        if (hasEnded) return;
        const wait = RETRY_MILLISECONDS[Math.min(failures, RETRY_MILLISECONDS.length - 1)];
        failures += 1;
        timer = window.setTimeout(connect, wait);
      };
    };
    connect();
    return () => {
      hasEnded = true;
      window.clearTimeout(timer);
      socket?.close();
    };
  }, [id, round, beginsLater]);
  return { ...model, isOver: isOver(model.job) };
}

/** Asks for confirmation, then cancels a job. */
export function askToCancel(row: Pick<Job, 'id' | 'title'>, after: () => Promise<unknown>): void {
  askFirst({
    message: t(words.cancelQuestion, { title: row.title }),
    confirm: t(words.cancel),
    danger: true,
    run: async () => {
      await api.post(`${objectUrl(job, row.id)}cancel/`, {}, { quiet: true });
      await after();
    },
    success: t(words.canceled),
  });
}

/** Runs a failed or canceled job again. */
export async function runAgain(row: Pick<Job, 'id'>): Promise<void> {
  await api.post(`${objectUrl(job, row.id)}retry/`, {});
}

import {
  JOB_SOCKET_PATH,
  type JobLine,
  type JobMessage,
  type job,
  type Row,
} from '@sallyport/contract';
import { useEffect, useState } from 'react';

export type Job = Row<typeof job>;

/** A job as it is now, with the newest lines of its log. */
export interface JobModel {
  /** Undefined until the server has answered. */
  readonly job: Job | undefined;
  readonly lines: readonly JobLine[];
  /** Why nothing more comes: the job is unknown, or may not be seen any more. */
  readonly problem: string;
  readonly isOver: boolean;
}

/** The browser keeps as many lines as the server. */
const MAXIMUM_LINES = 1_000;
const RETRY_MILLISECONDS = [500, 1_000, 2_000, 5_000, 10_000];
const NOTHING: Omit<JobModel, 'isOver'> = { job: undefined, lines: [], problem: '' };

/** Whether a job has come to its end. */
export const isOver = (row: Pick<Job, 'state'> | undefined) =>
  row !== undefined && row.state !== 'queued' && row.state !== 'running';

/** What a message of the server makes of what is known. */
export function afterMessage(
  model: Omit<JobModel, 'isOver'>,
  message: JobMessage,
): Omit<JobModel, 'isOver'> {
  if (message.type === 'job') return { ...model, job: message.job };
  if (message.type === 'closed') return { ...model, problem: message.message };
  // After a lost connection the server begins at the first line that it keeps.
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
  /** Changed to watch a job again that was started again. */
  readonly round?: number;
  /** A request that is being sent makes the job. */
  readonly beginsLater?: boolean;
}

/** Watches a job until it is over; a lost connection is opened again. */
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

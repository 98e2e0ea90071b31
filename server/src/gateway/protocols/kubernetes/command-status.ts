import type { ProgramExit } from '@sallyport/ssh';

/** Maximum bytes of the status of a command. */
const MOST_STATUS = 65_536;
const MOST_TEXT = 1024;

/** The end of a command, from its error channel. */
export type CommandEnd =
  | { readonly exit: ProgramExit }
  /** The words of the API server or the kubelet. */
  | { readonly message: string }
  | undefined;

interface Status {
  readonly status?: unknown;
  readonly message?: unknown;
  readonly details?: { readonly causes?: readonly { reason?: unknown; message?: unknown }[] };
}

/** Collects the status of a command from its error channel. */
export class StatusReader {
  private readonly chunks: Buffer[] = [];
  private bytes = 0;

  add(chunk: Buffer): void {
    this.bytes += chunk.length;
    if (this.bytes <= MOST_STATUS) this.chunks.push(chunk);
  }

  /** Returns the end of the command; undefined if the connection broke first. */
  read(): CommandEnd {
    if (this.bytes === 0) return undefined;
    try {
      const { status, message, details } = JSON.parse(
        Buffer.concat(this.chunks).toString('utf8'),
      ) as Status;
      if (status === 'Success') return { exit: { code: 0 } };
      const cause = details?.causes?.find(({ reason }) => reason === 'ExitCode');
      const code = Number(cause?.message);
      if (cause && Number.isInteger(code)) return { exit: { code } };
      if (typeof message === 'string') return { message: message.slice(0, MOST_TEXT) };
    } catch {
      // Not a Status.
    }
    return { message: 'The cluster sent no valid status of the command.' };
  }
}

/** Returns the status of a command for its client. */
export function writeStatus(end: CommandEnd): Buffer {
  const status = statusOf(end);
  return Buffer.from(JSON.stringify({ metadata: {}, ...status }));
}

function statusOf(end: CommandEnd): object {
  if (end && 'message' in end)
    return { status: 'Failure', reason: 'InternalError', message: end.message, code: 500 };
  const exit = end?.exit ?? { code: 255 };
  const code = 'code' in exit ? exit.code : 255;
  if (code === 0) return { status: 'Success' };
  return {
    status: 'Failure',
    reason: 'NonZeroExitCode',
    message: `command terminated with non-zero exit code: exit status ${code}`,
    details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
  };
}

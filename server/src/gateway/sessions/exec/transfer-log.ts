import { actionMask } from '@sallyport/contract';
import type { FileOperation, FileRecord } from '../../ports/records.ts';
import { Refusal } from '../../refusal.ts';
import { shownName } from '../files/paths.ts';
import { TRANSFER_LABELS } from '../transfer-labels.ts';
import { ScpError, type ScpFile, ScpReader } from './scp-reader.ts';

/** Commands that clients run over an exec channel to transfer files. */
const TRANSFERS: readonly {
  readonly pattern: RegExp;
  readonly action: 'upload_file' | 'download_file';
  readonly program: 'scp' | 'other';
}[] = [
  {
    pattern: /^\s*(?:\S*\/)?scp\s(?:-\S+\s+)*-[a-z]*t\b/,
    action: 'upload_file',
    program: 'scp',
  },
  {
    pattern: /^\s*(?:\S*\/)?scp\s(?:-\S+\s+)*-[a-z]*f\b/,
    action: 'download_file',
    program: 'scp',
  },
  {
    pattern: /^\s*(?:\S*\/)?rsync\s+--server\s+(?!--sender\b)/,
    action: 'upload_file',
    program: 'other',
  },
  {
    pattern: /^\s*(?:\S*\/)?rsync\s+--server\s+--sender\b/,
    action: 'download_file',
    program: 'other',
  },
  {
    pattern: /^\s*(?:\S*\/)?l?r[zbx](?:\s|$)/,
    action: 'upload_file',
    program: 'other',
  },
  {
    pattern: /^\s*(?:\S*\/)?l?s[zbx]\s/,
    action: 'download_file',
    program: 'other',
  },
  {
    pattern: /^\s*(?:\S*\/)?(?:internal-sftp|sftp-server)\b/,
    action: 'upload_file',
    program: 'other',
  },
  {
    pattern: /^\s*(?:\S*\/)?(?:internal-sftp|sftp-server)\b/,
    action: 'download_file',
    program: 'other',
  },
];

/**
 * Checks the right to transfer files if a command is the remote end of a transfer. Recognizes the
 * commands of `scp`, `rsync`, `sftp` and lrzsz. Users who may run commands can still print a file.
 * @throws Refusal
 */
export function requireTransferRight(command: string, actions: number): void {
  for (const { pattern, action } of TRANSFERS) {
    if (pattern.test(command) && (actions & actionMask([action])) === 0)
      throw new Refusal('transfer_denied', { action: TRANSFER_LABELS[action] });
  }
}

/** Returns the directions in which a command transfers files; empty if it transfers none. */
function transfersOf(
  command: string,
): { readonly program: 'scp' | 'other'; readonly operation: 'upload' | 'download' }[] {
  return TRANSFERS.filter(({ pattern }) => pattern.test(command)).map(({ program, action }) => ({
    program,
    operation: action === 'upload_file' ? 'upload' : 'download',
  }));
}

/** Watches the streams of a command that transfers files, for the log. */
export interface TransferLog {
  /** Takes bytes of one direction. Returns false once the stream is unreadable. */
  fromClient(chunk: Buffer): boolean;
  fromTarget(chunk: Buffer): boolean;
  end(isWell: boolean): void;
}

/**
 * Creates the transfer log of a command; `undefined` if it transfers no files. Calls `note` for
 * each complete entry.
 */
export function transferLogOf(
  command: string,
  note: (record: FileRecord) => void,
): TransferLog | undefined {
  const [transfer, ...others] = transfersOf(command);
  if (!transfer) return undefined;
  return transfer.program === 'scp' && others.length === 0
    ? scpLog(command, transfer.operation, note)
    : streamLog(command, transfer.operation, others.length > 0, note);
}

/** Logs one entry per file, as announced by the scp protocol. */
function scpLog(
  command: string,
  operation: FileOperation,
  note: (record: FileRecord) => void,
): TransferLog {
  const isUpload = operation === 'upload';
  const place = placeOf(command);
  const reader = new ScpReader(({ names, size, sha256, isWhole }: ScpFile) => {
    const path = isUpload
      ? `${names.join('/')}=>${place}`
      : `${place.slice(0, place.lastIndexOf('/') + 1)}${names.join('/')}`;
    note({
      operation,
      path: shownName(path),
      size,
      sha256,
      ...(!isWhole && { reason: 'file_incomplete' as const }),
    });
  });
  let isReadable = true;
  const follow = (chunk: Buffer, isSender: boolean): boolean => {
    if (!isReadable) return false;
    try {
      if (isSender) reader.fromSender(chunk);
      else reader.fromReceiver(chunk);
    } catch (error) {
      if (!(error instanceof ScpError)) throw error;
      isReadable = false;
    }
    return isReadable;
  };
  return {
    fromClient: (chunk) => follow(chunk, isUpload),
    fromTarget: (chunk) => follow(chunk, !isUpload),
    end: () => reader.end(),
  };
}

/** Logs one entry with the command and its bytes: other programs compress and compare. */
function streamLog(
  command: string,
  known: FileOperation,
  isBoth: boolean,
  note: (record: FileRecord) => void,
): TransferLog {
  let [sent, received] = [0, 0];
  return {
    fromClient(chunk) {
      sent += chunk.length;
      return true;
    },
    fromTarget(chunk) {
      received += chunk.length;
      return true;
    },
    end(isWell) {
      const operation = isBoth && received > sent ? 'download' : known;
      note({
        operation,
        path: shownName(command),
        size: operation === 'upload' ? sent : received,
        ...(!isWell && { reason: 'file_incomplete' as const }),
      });
    },
  };
}

/** Last word of a command, without quotes that clients add. */
function placeOf(command: string): string {
  const [, quoted, plain = ''] = /(?:'([^']*)'|(\S+))\s*$/.exec(command) ?? [];
  return quoted ?? plain;
}

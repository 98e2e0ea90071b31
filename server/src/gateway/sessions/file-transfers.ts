import type { ErrorCode } from '@sallyport/contract';
import type { FileRecord } from '../ports/records.ts';

/** Characters of a name, or of a statement that names what passes. */
const MOST_NAME = 1024;

/** A file on its way between a client and a target, in a session that is not one of files. */
export interface FileTransfer {
  /** Bytes of it have passed. */
  add(bytes: number): void;
  /** It is over: whole, or why not. The digest is that of all its bytes, where somebody has made it. */
  end(reason?: ErrorCode, sha256?: string): void;
}

/** How the files of a session are logged. */
export interface FileTransferLog {
  /** What the log names a file. */
  pathOf(name: string): string;
  write(record: FileRecord): Promise<void>;
}

/** The files of one session on a database or a desktop, for the file-transfer log: what `COPY`, `LOAD DATA LOCAL` and exports move, and what passes the clipboard of RDP. */
export class FileTransfers {
  private readonly log: FileTransferLog;
  private readonly open = new Set<FileTransfer>();
  private readonly notes = new Set<Promise<void>>();

  constructor(log: FileTransferLog) {
    this.log = log;
  }

  /** Entries that are not written yet. */
  get waiting(): number {
    return this.notes.size;
  }

  /** A file begins to pass. `name` is its name at the client where that is known, else the statement that moves it. */
  begin(operation: 'upload' | 'download', name: string): FileTransfer {
    let size = 0;
    const transfer: FileTransfer = {
      add: (bytes) => {
        size += bytes;
      },
      end: (reason, sha256) => {
        if (this.open.delete(transfer))
          this.note({ operation, path: this.pathOf(name), size, reason, sha256 });
      },
    };
    this.open.add(transfer);
    return transfer;
  }

  /** Nothing of a file passed, and why. */
  refused(operation: 'upload' | 'download', name: string, reason: ErrorCode): void {
    this.note({ operation, path: this.pathOf(name), reason });
  }

  /** Settles when the entries so far are written; undefined where all are. */
  written(): Promise<unknown> | undefined {
    return this.notes.size === 0 ? undefined : Promise.all(this.notes);
  }

  /** Files that are still on their way are not whole. */
  async end(reason: ErrorCode): Promise<void> {
    for (const transfer of this.open) transfer.end(reason);
    await this.written();
  }

  private pathOf(name: string): string {
    return this.log.pathOf(name.slice(0, MOST_NAME));
  }

  private note(record: FileRecord): void {
    // The session has ended itself where an entry cannot be written.
    const noted = this.log.write(record).catch(() => undefined);
    this.notes.add(noted);
    void noted.finally(() => this.notes.delete(noted));
  }
}

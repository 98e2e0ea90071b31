import type { ErrorCode } from '@sallyport/contract';
import type { FileRecord } from '../../ports/records.ts';
import { shownName } from '../files/names.ts';

/** Characters of a statement that names what passes. */
const MOST_NAME = 1024;

/** A file on its way between a client and a database. */
export interface FileTransfer {
  /** Bytes of it have passed. */
  add(bytes: number): void;
  /** It is over: whole, or why not. The digest is that of all its bytes, where somebody has made it. */
  end(reason?: ErrorCode, sha256?: string): void;
}

/** The files of one database session: what `COPY`, `LOAD DATA LOCAL` and exports move, for the file-transfer log. */
export class FileTransfers {
  private readonly database: string;
  private readonly write: (record: FileRecord) => Promise<void>;
  private readonly open = new Set<FileTransfer>();
  private readonly notes = new Set<Promise<void>>();

  constructor(database: string, write: (record: FileRecord) => Promise<void>) {
    this.database = database;
    this.write = write;
  }

  /** A file begins to pass. `name` is its name at the client where that is known, else the statement that moves it. */
  begin(operation: 'upload' | 'download', name: string): FileTransfer {
    let size = 0;
    const transfer: FileTransfer = {
      add: (bytes) => {
        size += bytes;
      },
      end: (reason, sha256) => {
        if (this.open.delete(transfer)) this.note({ operation, path: this.pathOf(name), size, reason, sha256 });
      },
    };
    this.open.add(transfer);
    return transfer;
  }

  /** Nothing of a file passed, because the permission does not allow it. */
  refused(operation: 'upload' | 'download', name: string): void {
    this.note({ operation, path: this.pathOf(name), reason: operation === 'upload' ? 'database_upload' : 'database_download' });
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
    return `${shownName(this.database)}: ${shownName(name.slice(0, MOST_NAME))}`;
  }

  private note(record: FileRecord): void {
    // The session has ended itself where an entry cannot be written.
    const noted = this.write(record).catch(() => undefined);
    this.notes.add(noted);
    void noted.finally(() => this.notes.delete(noted));
  }
}

import {
  type DriveAction,
  type DriveAnswerMessage,
  type DriveRequestMessage,
  type DriveStateMessage,
  type FileRights,
  MAX_DRIVE_REQUESTS,
  MAX_DRIVE_TRANSFERS,
} from '@sallyport/contract';
import { DRIVE_NAME, DriveError, type DriveFolder, type DriveNode } from '@sallyport/rdp';
import type { FileRecord } from '../../../ports/records.ts';
import type { DesktopFile } from '../../../protocols/target-desktop.ts';
import { isFault, problemOf, Refusal } from '../../../refusal.ts';
import { TRANSFER_LABELS } from '../../transfer-labels.ts';
import { DriveTransfer } from './drive-transfer.ts';

/** Name of an upload until it is complete. */
const PART = '.part';
/** A desktop that changes many files is reported to the page this often. */
const REPORT_MS = 500;

const REASON_OF = {
  missing: 'file_not_found',
  exists: 'file_exists',
  full: 'drive_full',
  notEmpty: 'drive_not_empty',
  badName: 'drive_name',
  isFolder: 'file_kind',
  isFile: 'file_kind',
  loop: 'drive_name',
} as const;

export type DriveAnswer = Omit<DriveAnswerMessage, 'type' | 'id' | 'error'>;

/** The session of a drive, and its page. */
export interface DriveHost {
  rights(): FileRights;
  transfer(operation: 'upload' | 'download', name: string): DesktopFile;
  refuseTransfer(operation: 'upload' | 'download', name: string, reason: 'transfer_denied'): void;
  note(record: FileRecord): Promise<void>;
  /** Settles when the answer is on its way, or the page has gone. */
  answer(id: number, answer: DriveAnswer | Refusal): Promise<void>;
  state(state: Omit<DriveStateMessage, 'type'>): void;
  /** The server itself failed, for example its disk. */
  failed(error: unknown): void;
}

/** Answers a page's requests for the folder that its desktop sees as a drive. */
export class DesktopDrive {
  readonly folder: DriveFolder;
  readonly #host: DriveHost;
  readonly #transfers = new Map<number, DriveTransfer>();
  #waiting = 0;
  #turn: Promise<void> = Promise.resolve();
  #report: NodeJS.Timeout | undefined;
  #isAccepted = false;

  constructor(folder: DriveFolder, host: DriveHost) {
    this.folder = folder;
    this.#host = host;
  }

  /** The desktop shows the drive. A server may say so again and again. */
  accepted(): void {
    if (this.#isAccepted) {
      this.changed();
      return;
    }
    this.#isAccepted = true;
    this.#state();
  }

  /** The desktop changed the folder. */
  changed(): void {
    this.#report ??= setTimeout(() => {
      this.#report = undefined;
      this.#state();
    }, REPORT_MS);
  }

  /** The rights of the session may have changed. */
  rightsChanged(before: FileRights): void {
    const { upload, download } = this.#host.rights();
    if (upload === before.upload && download === before.download) return;
    for (const [id, transfer] of this.#transfers)
      if (!this.#host.rights()[transfer.direction]) this.#drop(id, 'transfer_denied');
    this.#state();
  }

  /**
   * Takes a request of the page. Returns false if too many wait, such as those of a page that reads
   * no answers: the caller must disconnect.
   */
  request({ id, ...action }: DriveRequestMessage): boolean {
    if (++this.#waiting > MAX_DRIVE_REQUESTS) return false;
    this.#turn = this.#turn.then(async () => {
      const answer = await this.#answer(id, action).catch((error: unknown) => {
        const refusal = refusalOf(error);
        if (isFault(refusal.problem)) this.#host.failed(error);
        return refusal;
      });
      await this.#host.answer(id, answer);
      this.#waiting--;
    });
    return true;
  }

  /** Deletes the folder. */
  async end(): Promise<void> {
    clearTimeout(this.#report);
    this.#report = undefined;
    this.#isAccepted = false;
    for (const id of this.#transfers.keys()) this.#drop(id, 'file_incomplete');
    await this.folder.dispose();
  }

  async #answer(id: number, action: DriveAction): Promise<DriveAnswer> {
    if (!this.#isAccepted) throw new Refusal('file_not_found');
    if ('of' in action) return this.#continue(action);
    const path = pathOf(action.path);
    switch (action.action) {
      case 'list':
        return { entries: this.folder.list(this.#find(path)).map(entryOf) };
      case 'make_folder':
        this.#require('upload', path);
        this.folder.create(path, true);
        return this.#did('mkdir', path);
      case 'remove': {
        this.#require('upload', path);
        const node = this.#find(path);
        this.folder.remove(node);
        return this.#did(node.isFolder ? 'rmdir' : 'delete', path);
      }
      case 'read': {
        this.#require('download', path);
        const node = this.#find(path);
        if (node.isFolder) throw new DriveError('isFolder');
        this.#begin(id, 'download', node, path);
        return { size: node.size };
      }
      default: {
        this.#require('upload', path);
        if (this.folder.find(path)) throw new DriveError('exists');
        const name = path.at(-1) ?? '';
        this.#requireRoom(id);
        const part = this.folder.create([...path.slice(0, -1), `${name}${PART}`], false);
        this.#begin(id, 'upload', part, path);
        return {};
      }
    }
  }

  async #continue(action: Extract<DriveAction, { readonly of: number }>): Promise<DriveAnswer> {
    const transfer = this.#transfers.get(action.of);
    if (!transfer) throw new Refusal('file_incomplete');
    try {
      if (action.action === 'next') {
        const bytes = await transfer.next();
        // The right has ended meanwhile, or the session.
        if (!this.#transfers.has(action.of)) throw new Refusal('file_incomplete');
        if (bytes.length === 0) this.#transfers.delete(action.of);
        return { data: bytes.toString('base64') };
      }
      if (action.action === 'piece') await transfer.piece(action.data);
      else if (action.action === 'cancel') this.#drop(action.of, 'file_incomplete');
      else {
        this.folder.rename(transfer.node, transfer.path, false);
        this.#transfers.delete(action.of);
        transfer.complete();
        this.#state();
      }
      return {};
    } catch (error) {
      this.#drop(action.of, refusalOf(error).problem.code);
      throw error;
    }
  }

  #begin(id: number, direction: 'upload' | 'download', node: DriveNode, path: string[]): void {
    this.#requireRoom(id);
    const file = this.#host.transfer(direction, loggedPath(path));
    this.#transfers.set(id, new DriveTransfer(this.folder, { direction, node, path }, file));
  }

  /** @throws Refusal if too many transfers run, or one has this number */
  #requireRoom(id: number): void {
    const isFull = this.#transfers.size >= MAX_DRIVE_TRANSFERS;
    if (isFull || this.#transfers.has(id)) throw new Refusal('file_limit');
  }

  #require(right: 'upload' | 'download', path: readonly string[]): void {
    if (this.#host.rights()[right]) return;
    this.#host.refuseTransfer(right, loggedPath(path), 'transfer_denied');
    throw denied(right);
  }

  #find(path: readonly string[]): DriveNode {
    const node = this.folder.find(path);
    if (!node) throw new DriveError('missing');
    return node;
  }

  async #did(operation: FileRecord['operation'], path: readonly string[]): Promise<DriveAnswer> {
    await this.#host.note({ operation, path: loggedPath(path) });
    this.#state();
    return {};
  }

  /** Ends a transfer; what an upload has written is deleted. */
  #drop(id: number, reason: Refusal['problem']['code']): void {
    const transfer = this.#transfers.get(id);
    this.#transfers.delete(id);
    transfer?.fail(reason);
    if (transfer?.direction !== 'upload') return;
    try {
      this.folder.remove(transfer.node);
    } catch (error) {
      // The desktop has deleted it.
      if (!(error instanceof DriveError)) throw error;
    }
  }

  #state(): void {
    if (!this.#isAccepted) return;
    const { usedBytes: used, maxBytes: max } = this.folder;
    this.#host.state({ used, max, ...this.#host.rights() });
  }
}

const entryOf = ({ name, isFolder, size }: DriveNode) => ({ name, is_folder: isFolder, size });

const loggedPath = (path: readonly string[]): string => `/${DRIVE_NAME}/${path.join('/')}`;

const pathOf = (path: string): string[] => path.split('/').filter((step) => step !== '');

const denied = (right: 'upload' | 'download') =>
  new Refusal('transfer_denied', { action: TRANSFER_LABELS[`${right}_file`] });

function refusalOf(error: unknown): Refusal {
  if (error instanceof DriveError) return new Refusal(REASON_OF[error.failure]);
  const { code, params } = problemOf(error);
  return new Refusal(code, params);
}

import { createHash } from 'node:crypto';
import { DRIVE_PIECE } from '@sallyport/contract';
import type { DriveFolder, DriveNode } from '@sallyport/rdp';
import type { DesktopFile } from '../../../protocols/target-desktop.ts';
import { Refusal } from '../../../refusal.ts';

/** A file on its way between the page and the folder, piece by piece in order. */
export class DriveTransfer {
  readonly direction: 'upload' | 'download';
  readonly #folder: DriveFolder;
  readonly node: DriveNode;
  /** Its path in the folder once it is complete. */
  readonly path: readonly string[];
  readonly #file: DesktopFile;
  readonly #hash = createHash('sha256');
  #position = 0;

  constructor(
    folder: DriveFolder,
    { direction, node, path }: Pick<DriveTransfer, 'direction' | 'node' | 'path'>,
    file: DesktopFile,
  ) {
    this.#folder = folder;
    this.direction = direction;
    this.node = node;
    this.path = path;
    this.#file = file;
  }

  /** Reads the next piece; empty at the end, which completes the transfer. */
  async next(): Promise<Buffer> {
    const bytes = await this.#folder.read(this.node, this.#position, DRIVE_PIECE);
    this.#count(bytes);
    if (bytes.length === 0) this.complete();
    return bytes;
  }

  /** Writes the next piece. */
  async piece(data: string): Promise<void> {
    const bytes = Buffer.from(data, 'base64');
    if (bytes.length === 0 || bytes.length > DRIVE_PIECE) throw new Refusal('file_range');
    await this.#folder.write(this.node, this.#position, bytes);
    this.#count(bytes);
  }

  complete(): void {
    this.#file.end(undefined, this.#hash.digest('hex'));
  }

  fail(reason: Parameters<DesktopFile['end']>[0]): void {
    this.#file.end(reason);
  }

  #count(bytes: Buffer): void {
    this.#position += bytes.length;
    this.#hash.update(bytes);
    this.#file.add(bytes.length);
  }
}

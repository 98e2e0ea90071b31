import { createHash } from 'node:crypto';
import { EXPORT_WINDOW } from '@sallyport/contract';
import { BYTE_ORDER_MARK, cellText, csvRecord } from '../../../platform/csv.ts';
import type { Result } from '../../sessions/database/result-sink.ts';

const ROWS = 500;
const CHARACTERS = 1024 * 1024;

/** Sends a result as a CSV file, with back pressure from the browser. */
export class ResultExport {
  private sent = 0;
  private acknowledged = 0;
  private proceed: (() => void) | undefined;
  private isGone = false;

  /** Counts bytes that the browser confirms. */
  acknowledge(bytes: number): void {
    this.acknowledged = Math.min(this.sent, this.acknowledged + bytes);
    this.proceed?.();
  }

  /** Stops the export: the browser left or the session ended. */
  stop(): void {
    this.isGone = true;
    this.proceed?.();
  }

  /** Sends the whole result. Returns size and digest, or undefined if it was stopped. */
  async send(
    { columns, spool }: Result,
    sendBytes: (bytes: Buffer) => void,
  ): Promise<{ readonly size: number; readonly sha256: string } | undefined> {
    const digest = createHash('sha256');
    const write = async (text: string) => {
      const bytes = Buffer.from(text);
      digest.update(bytes);
      this.sent += bytes.length;
      sendBytes(bytes);
      while (!this.isGone && this.sent - this.acknowledged > EXPORT_WINDOW) {
        await new Promise<void>((done) => {
          this.proceed = done;
        });
      }
    };
    await write(BYTE_ORDER_MARK + csvRecord(columns.map(({ name }) => cellText(name))));
    for (let at = 0; at < spool.rows && !this.isGone; ) {
      const rows = await spool.read(at, ROWS, CHARACTERS);
      if (rows.length === 0) break;
      at += rows.length;
      await write(rows.map((row) => csvRecord(row.map(cellText))).join(''));
    }
    return this.isGone ? undefined : { size: this.sent, sha256: digest.digest('hex') };
  }
}

import type { TransferLine } from '../connection/transfer-line.ts';

/** Loads the dialog of `rz` and `sz` when a program at the target waits for it. */
export async function transferFiles(line: TransferLine, hostname: string): Promise<void> {
  try {
    const { openTransfer } = await import('../zmodem/open-transfer.tsx');
    openTransfer(line, hostname);
  } catch {
    line.cancel();
  }
}

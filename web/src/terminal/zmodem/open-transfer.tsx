import { withOverlays } from '../../kit/dialogs/overlay-host.tsx';
import { t } from '../../kit/i18n/index.ts';
import type { TransferLine } from '../connection/transfer-line.ts';
import { FileTransfer } from './file-transfer.ts';
import { TransferDialog } from './TransferDialog.tsx';
import { words } from './words.ts';

/** Transfers files with `rz` or `sz` at the target. Asks the user in a dialog. */
export function openTransfer(line: TransferLine, hostname: string): void {
  const transfer = new FileTransfer(line);
  const off = transfer.subscribe(() => {
    off();
    if (transfer.snapshot().phase === 'over') return;
    withOverlays((overlays) =>
      overlays.openDialog(
        t(words.title, { name: hostname }),
        (close) => <TransferDialog transfer={transfer} close={close} />,
        () => transfer.cancel(),
        { closeOnClickOutside: false },
      ),
    );
  });
  void transfer.run();
}

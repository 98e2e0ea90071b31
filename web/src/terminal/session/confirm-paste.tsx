import { Checkbox, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { common, t } from '../../kit/i18n/index.ts';
import { settingsStore } from '../settings/settings-store.ts';
import { workspaceWords } from '../words/workspace.ts';
import { linesOf } from './lines.ts';
import styles from './pane.module.css';

const SHOWN_LINES = 12;

/** Shows what is about to be pasted and asks; the answer is also no when the dialog is left. */
export function confirmPaste(text: string): Promise<boolean> {
  const lines = linesOf(text);
  return new Promise((resolve) => {
    let dontAsk = false;
    modals.openConfirmModal({
      closeButtonProps: { 'aria-label': t(common.close) },
      title: t(workspaceWords.pasteTitle, { count: lines.length }),
      children: (
        <>
          <Text size="sm">{t(workspaceWords.pasteWarning)}</Text>
          <pre className={styles.pasted}>
            {lines.slice(0, SHOWN_LINES).join('\n')}
            {lines.length > SHOWN_LINES ? '\n…' : ''}
          </pre>
          <Checkbox
            size="xs"
            label={t(workspaceWords.dontAskPaste)}
            onChange={(event) => {
              dontAsk = event.currentTarget.checked;
            }}
          />
        </>
      ),
      labels: { confirm: t(workspaceWords.paste), cancel: t(common.cancel) },
      confirmProps: { 'data-autofocus': true },
      onConfirm: () => {
        if (dontAsk) settingsStore.change({ confirmMultilinePaste: false });
        resolve(true);
      },
      onCancel: () => resolve(false),
      onClose: () => resolve(false),
    });
  });
}

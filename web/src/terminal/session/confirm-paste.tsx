import { Checkbox, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { ask } from '../../kit/dialogs/confirm.ts';
import { common, t } from '../../kit/i18n/index.ts';
import { settingsStore } from '../settings/settings-store.ts';
import { words } from '../words.ts';
import styles from './SessionPane.module.css';
import { linesOf } from './typed-input.ts';

const SHOWN_LINES = 12;

/** Shows the text before the paste and asks. Closing the dialog means no. */
export function confirmPaste(text: string): Promise<boolean> {
  const lines = linesOf(text);
  return new Promise((resolve) => {
    let dontAsk = false;
    ask({
      title: t(words.pasteTitle, { count: lines.length }),
      message: (
        <>
          <Text size="sm">{t(words.pasteWarning)}</Text>
          <pre className={styles.pasted}>
            {lines.slice(0, SHOWN_LINES).join('\n')}
            {lines.length > SHOWN_LINES ? '\n…' : ''}
          </pre>
          <Checkbox
            size="xs"
            label={t(words.dontAskPaste)}
            onChange={(event) => {
              dontAsk = event.currentTarget.checked;
            }}
          />
        </>
      ),
      confirm: t(words.paste),
      onConfirm: () => {
        if (dontAsk) settingsStore.change({ confirmMultilinePaste: false });
        resolve(true);
      },
      onClose: () => resolve(false),
    });
  });
}

/** Shows the target of a link and asks. Closing the dialog means no. */
export function confirmLink(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    modals.openConfirmModal({
      closeButtonProps: { 'aria-label': t(common.close) },
      title: t(words.linkTitle),
      children: (
        <>
          <Text size="sm">{t(words.linkWarning)}</Text>
          <pre className={styles.pasted}>{address}</pre>
        </>
      ),
      labels: { confirm: t(words.openLink), cancel: t(common.cancel) },
      cancelProps: { 'data-autofocus': true },
      onConfirm: () => resolve(true),
      onCancel: () => resolve(false),
      onClose: () => resolve(false),
    });
  });
}

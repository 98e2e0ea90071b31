import { Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { common, t } from '../../kit/i18n/index.ts';
import { words } from '../words.ts';
import styles from './SessionPane.module.css';

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

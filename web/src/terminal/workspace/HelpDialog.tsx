import { Kbd, Modal } from '@mantine/core';
import { common, t } from '../../kit/i18n/index.ts';
import { words as windowWords } from '../words.ts';
import { SHORTCUTS } from './shortcuts.ts';
import styles from './Workspace.module.css';
import { words } from './words.ts';

const LINES = [
  ...SHORTCUTS.map(({ key, label }) => ({ key, label })),
  { key: '1–9', label: words.keyNumber },
];

/** Every shortcut of the terminal window. */
export function HelpDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Modal
      opened
      onClose={onClose}
      title={t(windowWords.help)}
      size="md"
      closeButtonProps={{ 'aria-label': t(common.close) }}
    >
      <dl className={styles.help}>
        {LINES.map(({ key, label }) => (
          <div key={key}>
            <dt>{t(label)}</dt>
            <dd>
              <Kbd>Ctrl</Kbd> <Kbd>Shift</Kbd> <Kbd>{key}</Kbd>
            </dd>
          </div>
        ))}
      </dl>
    </Modal>
  );
}

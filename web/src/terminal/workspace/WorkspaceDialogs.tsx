import { Kbd, Modal } from '@mantine/core';
import { common, t } from '../../kit/i18n/index.ts';
import { InviteDialog } from '../invite/InviteDialog.tsx';
import { SnippetsDialog } from '../snippets/SnippetsDialog.tsx';
import { words as windowWords } from '../words.ts';
import { SettingsDialog } from './SettingsDialog.tsx';
import { SHORTCUTS } from './shortcuts.ts';
import type { WorkspaceWindow } from './useWorkspaceWindow.ts';
import styles from './Workspace.module.css';
import { words } from './words.ts';

const LINES = [
  ...SHORTCUTS.map(({ key, label }) => ({ key, label })),
  { key: '1–9', label: words.keyNumber },
];

/** Every shortcut of the terminal window. */
function HelpDialog({ onClose }: { readonly onClose: () => void }) {
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

/** The open dialog of the terminal window, except for the palette. */
export function WorkspaceDialogs({
  workspace,
  dialog,
  setDialog,
  inviting,
  setInviting,
}: WorkspaceWindow) {
  return (
    <>
      {dialog === 'settings' ? <SettingsDialog onClose={() => setDialog(null)} /> : null}
      {dialog === 'snippets' ? (
        <SnippetsDialog session={workspace.active} onClose={() => setDialog(null)} />
      ) : null}
      {inviting ? <InviteDialog {...inviting} onClose={() => setInviting(null)} /> : null}
      {dialog === 'help' ? <HelpDialog onClose={() => setDialog(null)} /> : null}
    </>
  );
}

import { Kbd, Modal } from '@mantine/core';
import { useMemo } from 'react';
import { common, t } from '../../kit/i18n/index.ts';
import type { ResultsProps } from '../../kit/palette/option.ts';
import { PaletteFrame } from '../../kit/palette/PaletteFrame.tsx';
import { InviteDialog } from '../invite/InviteDialog.tsx';
import { SnippetsDialog } from '../snippets/SnippetsDialog.tsx';
import { words as windowWords } from '../words.ts';
import { PaletteResults } from './PaletteResults.tsx';
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

/** The open dialog of the terminal window. */
export function WorkspaceDialogs({
  workspace,
  dialog,
  setDialog,
  inviting,
  setInviting,
}: WorkspaceWindow) {
  const Results = useMemo(
    () => (props: ResultsProps) => <PaletteResults {...props} workspace={workspace} />,
    [workspace],
  );
  return (
    <>
      {dialog === 'palette' ? (
        <PaletteFrame label={t(words.palette)} results={Results} onClose={() => setDialog(null)} />
      ) : null}

      {dialog === 'settings' ? <SettingsDialog onClose={() => setDialog(null)} /> : null}
      {dialog === 'snippets' ? (
        <SnippetsDialog session={workspace.active} onClose={() => setDialog(null)} />
      ) : null}
      {inviting ? <InviteDialog {...inviting} onClose={() => setInviting(null)} /> : null}
      {dialog === 'help' ? <HelpDialog onClose={() => setDialog(null)} /> : null}
    </>
  );
}

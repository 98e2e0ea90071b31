import { useMemo } from 'react';
import { t } from '../../kit/i18n/index.ts';
import type { ResultsProps } from '../../kit/palette/option.ts';
import { PaletteFrame } from '../../kit/palette/PaletteFrame.tsx';
import { InviteDialog } from '../invite/InviteDialog.tsx';
import { SnippetsDialog } from '../snippets/SnippetsDialog.tsx';
import { HelpDialog } from './HelpDialog.tsx';
import { PaletteResults } from './PaletteResults.tsx';
import { SettingsDialog } from './SettingsDialog.tsx';
import type { WorkspaceWindow } from './useWorkspaceWindow.ts';
import { words } from './words.ts';

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

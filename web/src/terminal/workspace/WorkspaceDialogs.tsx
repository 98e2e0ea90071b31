import { useEffect, useMemo } from 'react';
import { t } from '../../kit/i18n/index.ts';
import { Loading, lazyComponent } from '../../kit/lazy-component.tsx';
import type { ResultsProps } from '../../kit/palette/option.ts';
import { PaletteFrame } from '../../kit/palette/PaletteFrame.tsx';
import type { WorkspaceWindow } from './useWorkspaceWindow.ts';
import { words } from './words.ts';

const SettingsDialog = lazyComponent(() =>
  import('./SettingsDialog.tsx').then((module) => module.SettingsDialog),
);

const PaletteResults = lazyComponent(() =>
  import('./PaletteResults.tsx').then((module) => module.PaletteResults),
);

const SnippetsDialog = lazyComponent(() =>
  import('../snippets/SnippetsDialog.tsx').then((module) => module.SnippetsDialog),
);

const HelpDialog = lazyComponent(() =>
  import('./HelpDialog.tsx').then((module) => module.HelpDialog),
);

const InviteDialog = lazyComponent(() =>
  import('../invite/InviteDialog.tsx').then((module) => module.InviteDialog),
);

/** Delay before the code of the search is loaded: the terminal comes first. */
const PALETTE_AHEAD = 8_000;

/** The open dialog of the terminal window. */
export function WorkspaceDialogs({
  workspace,
  dialog,
  setDialog,
  inviting,
  setInviting,
}: WorkspaceWindow) {
  useEffect(() => {
    const timer = setTimeout(() => void PaletteResults.preload(), PALETTE_AHEAD);
    return () => clearTimeout(timer);
  }, []);
  const Results = useMemo(
    () => (props: ResultsProps) => <PaletteResults {...props} workspace={workspace} />,
    [workspace],
  );
  return (
    <>
      {dialog === 'palette' ? (
        <PaletteFrame label={t(words.palette)} results={Results} onClose={() => setDialog(null)} />
      ) : null}
      <Loading>
        {dialog === 'settings' ? <SettingsDialog onClose={() => setDialog(null)} /> : null}
        {dialog === 'snippets' ? (
          <SnippetsDialog session={workspace.active} onClose={() => setDialog(null)} />
        ) : null}
        {inviting ? <InviteDialog {...inviting} onClose={() => setInviting(null)} /> : null}
        {dialog === 'help' ? <HelpDialog onClose={() => setDialog(null)} /> : null}
      </Loading>
    </>
  );
}

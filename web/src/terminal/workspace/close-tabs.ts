import { useEffect } from 'react';
import { ask } from '../../kit/dialogs/confirm.ts';
import { t } from '../../kit/i18n/index.ts';
import { words } from '../words.ts';
import type { Workspace } from './workspace.ts';

/** Asks before the user leaves the page and thereby disconnects running sessions. */
export function useLeaveWarning(workspace: Workspace): void {
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => {
      if (workspace.liveCount() > 0) event.preventDefault();
    };
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [workspace]);
}

/** Closes tabs. Asks first if several tabs close and a session is running. */
export function closeTabs(workspace: Workspace, ids: readonly string[]): void {
  const live = workspace.liveCount(ids);
  if (ids.length < 2 || live === 0) {
    workspace.close(ids);
    return;
  }
  ask({
    title: t(words.closeLiveTitle),
    message: t(words.closeLive, { count: live }),
    confirm: t(words.closeTab),
    danger: true,
    onConfirm: () => workspace.close(ids),
  });
}

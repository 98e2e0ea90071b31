import type { KeyboardEvent } from 'react';
import { type FileItem, pathIn } from './entries.ts';
import type { FileManager } from './file-manager.ts';
import type { useFileActions } from './useFileActions.ts';
import type { useSelection } from './useSelection.ts';

interface KeyTargets {
  readonly manager: FileManager;
  readonly actions: ReturnType<typeof useFileActions>;
  readonly tools: ReturnType<typeof useSelection>;
  readonly chosen: readonly FileItem[];
  readonly path: string;
  readonly mayUpload: boolean;
  readonly mayDownload: boolean;
  readonly onRename: () => void;
  /** Receives a letter that the user typed outside of a field. */
  readonly onType: (letter: string) => void;
}

/** Handles a key in the list of files. Returns false if the key does nothing here. */
export function handleKey(
  event: KeyboardEvent,
  { manager, actions, tools, chosen, path, mayUpload, mayDownload, onRename, onType }: KeyTargets,
): boolean {
  const chosenPaths = () => chosen.map(({ name }) => pathIn(path, name));

  const isCommand = event.ctrlKey || event.metaKey;
  if (isCommand && !event.shiftKey && !event.altKey) {
    if (event.key === 'a') tools.all();
    else if (event.key === 'c' && mayUpload && mayDownload) actions.hold('copy', chosenPaths());
    else if (event.key === 'x' && mayUpload) actions.hold('move', chosenPaths());
    else if (event.key === 'v' && mayUpload) actions.paste();
    else return false;
  } else if (event.altKey && event.key === 'ArrowLeft') void manager.back();
  else if (event.altKey && event.key === 'ArrowRight') void manager.forward();
  else if (event.key === 'Backspace') void manager.up();
  else if (event.key === 'F2' && chosen.length === 1 && mayUpload) onRename();
  else if (event.key === 'Delete' && mayUpload) actions.remove(chosen);
  else if (event.key === 'Escape') tools.clear();
  else if (event.key === 'F5') void manager.refresh();
  else if (event.key.length === 1 && !isCommand && !event.altKey) {
    // Typing starts a search.
    onType(event.key);
  } else return false;
  return true;
}

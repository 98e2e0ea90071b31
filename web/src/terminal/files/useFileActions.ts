import type { FileChange } from '@sallyport/contract';
import { useState } from 'react';
import { ApiError } from '../../kit/api.ts';
import { askFirst } from '../../kit/dialogs/confirm.ts';
import { toast } from '../../kit/dialogs/toast.tsx';
import { t } from '../../kit/i18n/index.ts';
import type { LocalFiles } from './dropped-files.ts';
import { type FileItem, freeName, nameOf, parentOf, pathIn, shownName } from './entries.ts';
import type { FileManager } from './file-manager.ts';
import { archiveAddress, type ChangeFailures, changeFiles, contentAddress } from './files-api.ts';
import type { UploadQueue } from './upload-queue.ts';
import { uploadInto } from './uploads.ts';
import { words } from './words.ts';

/** Files that were cut or copied, to be pasted in another folder. */
export interface Clipboard {
  readonly action: 'copy' | 'move';
  readonly paths: readonly string[];
}

function showFailures(failures: ChangeFailures) {
  const [message] = failures.values();
  if (failures.size === 1 && message) toast.error(message);
  else if (failures.size > 1)
    toast.error(t(words.changesFailed, { count: failures.size }), message);
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : '');

/** Changes files and reads the folder again; returns the error of the first item. */
async function changeFirst(manager: FileManager, change: FileChange): Promise<string | null> {
  try {
    const failures = await changeFiles(manager.place, change);
    await manager.refresh();
    return failures.get(0) ?? null;
  } catch (error) {
    manager.heard(error);
    return messageOf(error);
  }
}

/** The new paths of files in a folder. A copy next to its original gets a free name. */
function targetsIn(folder: string, paths: readonly string[], known: ReadonlySet<string>) {
  return paths.map((path) => {
    const name = nameOf(path);
    const isSame = parentOf(path) === folder;
    return {
      path,
      to: pathIn(folder, isSame ? freeName(name, (tried) => known.has(tried)) : name),
    };
  });
}

function askToRemove(manager: FileManager, chosen: readonly FileItem[]) {
  const [first] = chosen;
  if (!first) return;
  const what =
    chosen.length === 1
      ? t(words.deleteOne, { name: shownName(first.name) })
      : t(words.deleteSome, { count: chosen.length });
  const folder = manager.snapshot().path;
  askFirst({
    title: t(words.deleteTitle),
    message: chosen.some(({ kind }) => kind === 'folder') ? `${what} ${t(words.folderToo)}` : what,
    confirm: t(words.delete),
    danger: true,
    canStop: true,
    run: async (_note, _isTicked, { signal, report }) => {
      const items = chosen.map(({ name }) => ({ path: pathIn(folder, name) }));
      const onRemoved = (count: number) => report(t(words.deletedSoFar, { count }));
      try {
        const change: FileChange = { action: 'delete', items };
        showFailures(await changeFiles(manager.place, change, { signal, onRemoved }));
      } catch (error) {
        if (!signal.aborted) throw error;
        toast.info(t(words.deleteStopped));
      }
      await manager.refresh();
    },
  });
}

/** Downloads one file as it is, anything else as an archive. */
function downloadFiles({ place, snapshot }: FileManager, chosen: readonly FileItem[]) {
  const folder = snapshot().path;
  const [first] = chosen;
  try {
    const address =
      chosen.length === 1 && first?.kind === 'file'
        ? contentAddress(place, pathIn(folder, first.name))
        : archiveAddress(
            place,
            chosen.map(({ name }) => pathIn(folder, name)),
            chosen.length === 1 && first ? first.name : nameOf(folder) || 'files',
          );
    const link = document.createElement('a');
    link.href = address;
    link.download = '';
    link.click();
  } catch (error) {
    toast.error(error instanceof ApiError ? error.message : '');
  }
}

/** Actions on the files of a folder. Every failure is shown. */
export function useFileActions(
  manager: FileManager,
  uploads: UploadQueue,
  items: readonly FileItem[],
) {
  const [clipboard, setClipboard] = useState<Clipboard | null>(null);
  const here = () => manager.snapshot().path;
  const show = (error: unknown) => {
    if (!manager.heard(error)) toast.error(messageOf(error));
  };

  /** Moves or copies files into a folder; asks first if names exist there. */
  const transfer = async (
    action: Clipboard['action'],
    paths: readonly string[],
    folder: string,
  ) => {
    const known = new Set(folder === here() ? items.map(({ name }) => name) : []);
    const moved = paths.filter((path) => action === 'copy' || parentOf(path) !== folder);
    if (moved.length === 0) return;
    const targets = targetsIn(folder, moved, known);
    const taken = targets.filter(({ path, to }) => known.has(nameOf(to)) && path !== to);
    const run = async (overwrite: boolean) => {
      showFailures(await changeFiles(manager.place, { action, items: targets, overwrite }));
      if (action === 'move') setClipboard(null);
      await manager.refresh();
    };
    if (taken.length === 0) await run(false).catch(show);
    else {
      askFirst({
        title: t(words.pasteConflict),
        message: t(words.pasteConflictHint, { count: taken.length }),
        confirm: t(words.replace),
        danger: true,
        run: () => run(true),
      });
    }
  };

  return {
    clipboard,
    hold: (action: Clipboard['action'], paths: readonly string[]) => {
      if (paths.length === 0) return;
      setClipboard({ action, paths });
      toast.info(
        t(action === 'copy' ? words.clipboardCopy : words.clipboardCut, { count: paths.length }),
      );
    },
    paste: () => clipboard && void transfer(clipboard.action, clipboard.paths, here()),
    transfer,
    rename: (path: string, name: string) =>
      changeFirst(manager, {
        action: 'rename',
        items: [{ path, to: pathIn(parentOf(path), name) }],
      }),
    make: (action: 'make_folder' | 'make_file', name: string) =>
      changeFirst(manager, { action, items: [{ path: pathIn(here(), name) }] }),
    setMode: (paths: readonly string[], mode: number) =>
      changeFirst(manager, { action: 'chmod', mode, items: paths.map((path) => ({ path })) }),
    remove: (chosen: readonly FileItem[]) => askToRemove(manager, chosen),
    download: (chosen: readonly FileItem[]) => downloadFiles(manager, chosen),
    /** Uploads local files; creates their folders first. */
    upload: async (local: LocalFiles, folder = here()) => {
      try {
        await uploadInto(uploads, { place: manager.place, folder, local });
        if (local.folders.length > 0) void manager.refresh();
      } catch (error) {
        show(error);
      }
    },
  };
}

export type FileActions = ReturnType<typeof useFileActions>;

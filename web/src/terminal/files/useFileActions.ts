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

/** Actions on the files of a folder. Every failure is shown. */
export function useFileActions(
  manager: FileManager,
  uploads: UploadQueue,
  items: readonly FileItem[],
) {
  const { place } = manager;
  const [clipboard, setClipboard] = useState<Clipboard | null>(null);

  const tell = (failures: ChangeFailures) => {
    const [message] = failures.values();
    if (failures.size === 1 && message) toast.error(message);
    else if (failures.size > 1)
      toast.error(t(words.changesFailed, { count: failures.size }), message);
  };
  /** Changes files and reads the folder again; returns the error of the first item. */
  const change = async (wanted: FileChange, isQuiet = false): Promise<string | null> => {
    try {
      const failures = await changeFiles(place, wanted);
      if (!isQuiet) tell(failures);
      await manager.refresh();
      return failures.get(0) ?? null;
    } catch (error) {
      manager.heard(error);
      const message = error instanceof Error ? error.message : '';
      if (!isQuiet) toast.error(message);
      return message;
    }
  };

  const here = () => manager.snapshot().path;

  /** Moves or copies files into a folder; asks first if names exist there. */
  const transfer = async (action: 'copy' | 'move', paths: readonly string[], folder: string) => {
    const inside = folder === here();
    const known = new Set(inside ? items.map(({ name }) => name) : []);
    const moved = paths.filter((path) => action === 'copy' || parentOf(path) !== folder);
    const target = (path: string) => {
      const name = nameOf(path);
      const isSame = parentOf(path) === folder;
      return pathIn(folder, isSame ? freeName(name, (tried) => known.has(tried)) : name);
    };
    if (moved.length === 0) return;
    const change = { action, items: moved.map((path) => ({ path, to: target(path) })) } as const;
    try {
      const taken = inside
        ? change.items.filter(({ path, to }) => known.has(nameOf(to)) && path !== to)
        : [];
      const run = async (overwrite: boolean, wanted = change.items) => {
        if (wanted.length > 0) tell(await changeFiles(place, { action, items: wanted, overwrite }));
        if (action === 'move') setClipboard(null);
        await manager.refresh();
      };
      if (taken.length === 0) await run(false);
      else {
        askFirst({
          title: t(words.pasteConflict),
          message: t(words.pasteConflictHint, { count: taken.length }),
          confirm: t(words.replace),
          danger: true,
          run: () => run(true),
        });
      }
    } catch (error) {
      if (!manager.heard(error)) toast.error(error instanceof Error ? error.message : '');
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
      change({ action: 'rename', items: [{ path, to: pathIn(parentOf(path), name) }] }, true),
    make: (action: 'make_folder' | 'make_file', name: string) =>
      change({ action, items: [{ path: pathIn(here(), name) }] }, true),
    setMode: (paths: readonly string[], mode: number) =>
      change({ action: 'chmod', mode, items: paths.map((path) => ({ path })) }, true),
    remove: (chosen: readonly FileItem[]) => {
      const [first] = chosen;
      if (!first) return;
      const what =
        chosen.length === 1
          ? t(words.deleteOne, { name: shownName(first.name) })
          : t(words.deleteSome, { count: chosen.length });
      const folder = here();
      askFirst({
        title: t(words.deleteTitle),
        message: chosen.some(({ kind }) => kind === 'folder')
          ? `${what} ${t(words.folderToo)}`
          : what,
        confirm: t(words.delete),
        danger: true,
        run: async () => {
          const failures = await changeFiles(place, {
            action: 'delete',
            items: chosen.map(({ name }) => ({ path: pathIn(folder, name) })),
          });
          tell(failures);
          await manager.refresh();
        },
      });
    },
    /** Downloads one file as it is, anything else as an archive. */
    download: (chosen: readonly FileItem[]) => {
      const folder = here();
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
    },
    /** Uploads local files; creates their folders first. */
    upload: async (local: LocalFiles, folder = here()) => {
      try {
        await uploadInto(uploads, { place, folder, local });
        if (local.folders.length > 0) void manager.refresh();
      } catch (error) {
        if (!manager.heard(error)) toast.error(error instanceof Error ? error.message : '');
      }
    },
  };
}

export type FileActions = ReturnType<typeof useFileActions>;

import { toast } from '../../kit/dialogs/toast.tsx';
import { t } from '../../kit/i18n/index.ts';
import { type FileItem, pathIn, viewerOf } from './entries.ts';
import type { FileManager } from './file-manager.ts';
import { readEntry } from './files-api.ts';
import { words } from './words.ts';

interface OpenTargets {
  readonly manager: FileManager;
  /** The folder of the item. */
  readonly path: string;
  readonly mayDownload: boolean;
  readonly onView: (path: string) => void;
  readonly onDownload: (item: FileItem) => void;
}

/** Opens a folder, shows a file or downloads it. Follows a link first. */
export async function openItem(
  item: FileItem,
  { manager, path, mayDownload, onView, onDownload }: OpenTargets,
) {
  const target = pathIn(path, item.name);
  let { kind } = item;
  if (kind === 'link') {
    try {
      const { target_kind } = await readEntry(manager.place, target);
      if (!target_kind) return toast.error(t(words.leadsTo));
      kind = target_kind;
    } catch (error) {
      if (!manager.heard(error)) toast.error(error instanceof Error ? error.message : '');
      return;
    }
  }
  if (kind === 'folder') return manager.go(target);
  if (kind === 'other') return toast.info(t(words.noPreview));
  if (!mayDownload) return toast.error(t(words.noDownload));
  if (viewerOf(item.name)) onView(target);
  else onDownload({ ...item, kind });
}

import { type DragEvent, useState } from 'react';
import { toast } from '../../kit/dialogs/toast.tsx';
import { t } from '../../kit/i18n/index.ts';
import { readDropped } from './dropped-files.ts';
import { type FileItem, pathIn } from './entries.ts';
import type { useFileActions } from './useFileActions.ts';
import type { useSelection } from './useSelection.ts';
import { words } from './words.ts';

/** The type of files that are dragged within the page. */
const DRAGGED = 'application/x-sallyport-files';

interface Options {
  readonly path: string;
  readonly tools: ReturnType<typeof useSelection>;
  readonly actions: ReturnType<typeof useFileActions>;
  readonly mayUpload: boolean;
  readonly mayDownload: boolean;
}

/** Drags files within the page, and uploads files that the user drops from the computer. */
export function useFileDrops({ path, tools, actions, mayUpload, mayDownload }: Options) {
  const [dropTarget, setDropTarget] = useState<string | null>(null);
  const isDesktop = ({ dataTransfer }: DragEvent) => dataTransfer.types.includes('Files');
  const onDragOver = (event: DragEvent, folder: FileItem | null) => {
    const isOwn = event.dataTransfer.types.includes(DRAGGED);
    if (!mayUpload || (!isOwn && !isDesktop(event)) || (isOwn && !folder)) return;
    event.preventDefault();
    event.stopPropagation();
    event.dataTransfer.dropEffect = isOwn && !event.ctrlKey ? 'move' : 'copy';
    setDropTarget(folder?.name ?? '');
  };
  const dropInto = (event: DragEvent, folder: string) => {
    event.preventDefault();
    event.stopPropagation();
    setDropTarget(null);
    if (!mayUpload) return toast.error(t(words.noUpload));
    const own = event.dataTransfer.getData(DRAGGED);
    if (own)
      return void actions.transfer(
        event.ctrlKey && mayDownload ? 'copy' : 'move',
        JSON.parse(own) as string[],
        folder,
      );
    if (isDesktop(event))
      void readDropped(event.dataTransfer).then((local) => actions.upload(local, folder));
  };
  return {
    target: dropTarget,
    start: (event: DragEvent, { name }: FileItem) => {
      const names = tools.selection.names.has(name) ? [...tools.selection.names] : [name];
      event.dataTransfer.setData(DRAGGED, JSON.stringify(names.map((one) => pathIn(path, one))));
      event.dataTransfer.effectAllowed = 'copyMove';
    },
    over: onDragOver,
    into: dropInto,
    drop: (event: DragEvent, folder: FileItem | null) =>
      dropInto(event, folder ? pathIn(path, folder.name) : path),
    /** Handlers of the element into which files can be dropped anywhere. */
    area: {
      onDragOver: (event: DragEvent) => onDragOver(event, null),
      onDragLeave: (event: DragEvent) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setDropTarget(null);
      },
      onDragEnd: () => setDropTarget(null),
      onDrop: (event: DragEvent) => dropInto(event, path),
    },
  };
}

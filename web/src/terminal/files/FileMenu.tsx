import { Menu } from '@mantine/core';
import { copyText } from '../../kit/clipboard.ts';
import { toast } from '../../kit/dialogs/toast.tsx';
import { t } from '../../kit/i18n/index.ts';
import { MenuAnchor } from '../../kit/MenuAnchor.tsx';
import {
  IconClipboard,
  IconCopy,
  IconCut,
  IconDownload,
  IconEdit,
  IconEye,
  IconFilePlus,
  IconFolderOpen,
  IconFolderPlus,
  IconRefresh,
  IconShieldLock,
  IconTrash,
} from '../icons.ts';
import { type FileItem, pathIn, shownName, viewerOf } from './entries.ts';
import type { FileActions } from './useFileActions.ts';
import { words } from './words.ts';

export interface FileMenuPlace {
  /** The row; `null` for the folder itself. */
  readonly item: FileItem | null;
  readonly x: number;
  readonly y: number;
}

interface Props {
  readonly place: FileMenuPlace;
  readonly folder: string;
  readonly chosen: readonly FileItem[];
  readonly actions: FileActions;
  readonly mayUpload: boolean;
  readonly mayDownload: boolean;
  readonly onOpen: (item: FileItem) => void;
  readonly onDialog: (dialog: 'rename' | 'mode' | 'make_folder' | 'make_file') => void;
  readonly onRefresh: () => void;
  readonly onClose: () => void;
}

/** Actions on the selected files or the folder. Actions without permission are disabled. */
export function FileMenu({
  place: { item, x, y },
  folder,
  chosen,
  actions,
  mayUpload,
  mayDownload,
  onOpen,
  onDialog,
  onRefresh,
  onClose,
}: Props) {
  const paths = chosen.map(({ name }) => pathIn(folder, name));
  const up = { disabled: !mayUpload, title: mayUpload ? undefined : t(words.noUpload) };
  const down = { disabled: !mayDownload, title: mayDownload ? undefined : t(words.noDownload) };
  const both = mayUpload ? down : up;
  const [single] = chosen.length === 1 ? chosen : [];
  return (
    <Menu opened onClose={onClose} position="bottom-start" withinPortal trapFocus returnFocus>
      <Menu.Target>
        <MenuAnchor x={x} y={y} label={t(words.more)} />
      </Menu.Target>
      <Menu.Dropdown>
        {item && chosen.length > 0 ? (
          <>
            <Menu.Label>
              {single ? shownName(single.name) : t(words.count, { count: chosen.length })}
            </Menu.Label>
            {single && (single.kind === 'folder' || single.kind === 'link') ? (
              <Menu.Item leftSection={<IconFolderOpen size={15} />} onClick={() => onOpen(single)}>
                {t(words.open)}
              </Menu.Item>
            ) : null}
            {single?.kind === 'file' && viewerOf(single.name) ? (
              <Menu.Item
                leftSection={<IconEye size={15} />}
                {...down}
                onClick={() => onOpen(single)}
              >
                {t(viewerOf(single.name) === 'text' && mayUpload ? words.edit : words.preview)}
              </Menu.Item>
            ) : null}
            <Menu.Item
              leftSection={<IconDownload size={15} />}
              {...down}
              onClick={() => actions.download(chosen)}
            >
              {t(single?.kind === 'file' ? words.download : words.downloadZip)}
            </Menu.Item>
            <Menu.Divider />
            {single ? (
              <Menu.Item
                leftSection={<IconEdit size={15} />}
                {...up}
                onClick={() => onDialog('rename')}
              >
                {t(words.rename)}
              </Menu.Item>
            ) : null}
            <Menu.Item
              leftSection={<IconCopy size={15} />}
              {...both}
              onClick={() => actions.hold('copy', paths)}
            >
              {t(words.copy)}
            </Menu.Item>
            <Menu.Item
              leftSection={<IconCut size={15} />}
              {...up}
              onClick={() => actions.hold('move', paths)}
            >
              {t(words.cut)}
            </Menu.Item>
            <Menu.Item
              leftSection={<IconShieldLock size={15} />}
              {...up}
              onClick={() => onDialog('mode')}
            >
              {t(words.permissions)}
            </Menu.Item>
            {single ? (
              <Menu.Item
                leftSection={<IconClipboard size={15} />}
                onClick={() =>
                  void copyText(pathIn(folder, single.name)).then(
                    (isCopied) => isCopied && toast.success(t(words.copied)),
                  )
                }
              >
                {t(words.copyPath)}
              </Menu.Item>
            ) : null}
            <Menu.Divider />
            <Menu.Item
              color="red"
              leftSection={<IconTrash size={15} />}
              {...up}
              onClick={() => actions.remove(chosen)}
            >
              {t(words.delete)}
            </Menu.Item>
          </>
        ) : (
          <>
            <Menu.Item
              leftSection={<IconFolderPlus size={15} />}
              {...up}
              onClick={() => onDialog('make_folder')}
            >
              {t(words.newFolder)}
            </Menu.Item>
            <Menu.Item
              leftSection={<IconFilePlus size={15} />}
              {...up}
              onClick={() => onDialog('make_file')}
            >
              {t(words.newFile)}
            </Menu.Item>
            <Menu.Item
              leftSection={<IconClipboard size={15} />}
              disabled={!mayUpload || actions.clipboard === null}
              onClick={() => actions.paste()}
            >
              {t(words.paste)}
            </Menu.Item>
            <Menu.Divider />
            <Menu.Item leftSection={<IconRefresh size={15} />} onClick={onRefresh}>
              {t(words.refresh)}
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

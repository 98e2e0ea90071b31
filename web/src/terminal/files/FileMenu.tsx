import { Menu } from '@mantine/core';
import type { LocalText } from '@sallyport/contract';
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
import type { FileManager } from './file-manager.ts';
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
  readonly manager: FileManager;
  /** The folder. */
  readonly path: string;
  readonly chosen: readonly FileItem[];
  readonly actions: FileActions;
  readonly mayUpload: boolean;
  readonly mayDownload: boolean;
  readonly onOpen: (item: FileItem) => void;
  readonly onDialog: (dialog: 'rename' | 'mode' | 'make_folder' | 'make_file') => void;
  readonly onClose: () => void;
}

/** Properties of a menu item that needs a permission. */
const neededRight = (isGranted: boolean, reason: LocalText) => ({
  disabled: !isGranted,
  title: isGranted ? undefined : t(reason),
});

/** Opens, shows or downloads the files. */
function ReadItems({ chosen, actions, mayUpload, mayDownload, onOpen }: Props) {
  const down = neededRight(mayDownload, words.noDownload);
  const [single] = chosen.length === 1 ? chosen : [];
  const viewer = single?.kind === 'file' ? viewerOf(single.name) : null;
  return (
    <>
      {single && (single.kind === 'folder' || single.kind === 'link') ? (
        <Menu.Item leftSection={<IconFolderOpen size={15} />} onClick={() => onOpen(single)}>
          {t(words.open)}
        </Menu.Item>
      ) : null}
      {single && viewer ? (
        <Menu.Item leftSection={<IconEye size={15} />} {...down} onClick={() => onOpen(single)}>
          {t(viewer === 'text' && mayUpload ? words.edit : words.preview)}
        </Menu.Item>
      ) : null}
      <Menu.Item
        leftSection={<IconDownload size={15} />}
        {...down}
        onClick={() => actions.download(chosen)}
      >
        {t(single?.kind === 'file' ? words.download : words.downloadZip)}
      </Menu.Item>
    </>
  );
}

/** Renames, copies, moves or protects the files. */
function ChangeItems({ path, chosen, actions, mayUpload, mayDownload, onDialog }: Props) {
  const paths = chosen.map(({ name }) => pathIn(path, name));
  const up = neededRight(mayUpload, words.noUpload);
  const both = mayUpload ? neededRight(mayDownload, words.noDownload) : up;
  const [single] = paths.length === 1 ? paths : [];
  return (
    <>
      {single ? (
        <Menu.Item leftSection={<IconEdit size={15} />} {...up} onClick={() => onDialog('rename')}>
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
            void copyText(single).then((isCopied) => isCopied && toast.success(t(words.copied)))
          }
        >
          {t(words.copyPath)}
        </Menu.Item>
      ) : null}
    </>
  );
}

function FolderItems({ manager, actions, mayUpload, onDialog }: Props) {
  const up = neededRight(mayUpload, words.noUpload);
  return (
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
      <Menu.Item leftSection={<IconRefresh size={15} />} onClick={() => void manager.refresh()}>
        {t(words.refresh)}
      </Menu.Item>
    </>
  );
}

/** Actions on the selected files or the folder. Actions without permission are disabled. */
export function FileMenu(props: Props) {
  const { place, chosen, actions, mayUpload, onClose } = props;
  const [single] = chosen.length === 1 ? chosen : [];
  return (
    <Menu opened onClose={onClose} position="bottom-start" withinPortal trapFocus returnFocus>
      <Menu.Target>
        <MenuAnchor x={place.x} y={place.y} label={t(words.more)} />
      </Menu.Target>
      <Menu.Dropdown>
        {place.item && chosen.length > 0 ? (
          <>
            <Menu.Label>
              {single ? shownName(single.name) : t(words.count, { count: chosen.length })}
            </Menu.Label>
            <ReadItems {...props} />
            <Menu.Divider />
            <ChangeItems {...props} />
            <Menu.Divider />
            <Menu.Item
              color="red"
              leftSection={<IconTrash size={15} />}
              {...neededRight(mayUpload, words.noUpload)}
              onClick={() => actions.remove(chosen)}
            >
              {t(words.delete)}
            </Menu.Item>
          </>
        ) : (
          <FolderItems {...props} />
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

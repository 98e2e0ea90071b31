import { Button, Skeleton } from '@mantine/core';
import type { FilesOpened } from '@sallyport/contract';
import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { sizeText } from '../../kit/format/size.ts';
import { common, t } from '../../kit/i18n/index.ts';
import { BrowserBar } from './BrowserBar.tsx';
import { handleKey } from './browser-keys.ts';
import { ChangeDialog } from './ChangeDialogs.tsx';
import {
  type FileItem,
  filterItems,
  nameOf,
  parentOf,
  type Sorting,
  type SortKey,
  shownName,
  sortItems,
} from './entries.ts';
import { FileList } from './FileList.tsx';
import { FileMenu, type FileMenuPlace } from './FileMenu.tsx';
import styles from './Files.module.css';
import type { FileManager, FilesSnapshot } from './file-manager.ts';
import { openItem } from './open-item.ts';
import { UploadPanel } from './UploadPanel.tsx';
import type { UploadQueue } from './upload-queue.ts';
import { type Clipboard, useFileActions } from './useFileActions.ts';
import { useFileDrops } from './useFileDrops.ts';
import { useSelection } from './useSelection.ts';
import { ViewDialog } from './ViewDialog.tsx';
import { words } from './words.ts';

interface Props {
  readonly manager: FileManager;
  readonly state: FilesSnapshot;
  readonly opened: FilesOpened;
  readonly account: string;
  readonly uploads: UploadQueue;
  readonly onOtherAccount: (() => void) | undefined;
}

type Dialog =
  | { readonly kind: 'rename' | 'mode' | 'make_folder' | 'make_file' }
  | { readonly kind: 'view'; readonly path: string };

/** The items that the filter shows, in the order that the user chose. */
function useVisibleItems(items: readonly FileItem[]) {
  const [sorting, setSorting] = useState<Sorting>({ key: 'name', descending: false });
  const [filter, setFilter] = useState('');
  const [showHidden, setShowHidden] = useState(false);
  const deferredFilter = useDeferredValue(filter);
  const visible = useMemo(
    () => sortItems(filterItems(items, deferredFilter, showHidden), sorting),
    [items, deferredFilter, showHidden, sorting],
  );
  const onSort = (key: SortKey) =>
    setSorting({ key, descending: sorting.key === key && !sorting.descending });
  const onShowHidden = () => setShowHidden(!showHidden);
  return { visible, sorting, onSort, filter, onFilter: setFilter, showHidden, onShowHidden };
}

/** Names in the folder that a paste would move away. */
function cutNames(clipboard: Clipboard | null, path: string): ReadonlySet<string> {
  if (clipboard?.action !== 'move') return new Set();
  return new Set(clipboard.paths.filter((one) => parentOf(one) === path).map(nameOf));
}

/** The selection, the actions and the rights in a folder, which its parts share. */
function useFolder({ manager, state, opened, uploads }: Props, visible: readonly FileItem[]) {
  const { path, items } = state;
  const order = useMemo(() => visible.map(({ name }) => name), [visible]);
  const tools = useSelection(order);
  const actions = useFileActions(manager, uploads, items);
  const { clipboard } = actions;
  const { names } = tools.selection;
  return {
    manager,
    path,
    items,
    tools,
    actions,
    chosen: useMemo(() => visible.filter(({ name }) => names.has(name)), [visible, names]),
    cut: useMemo(() => cutNames(clipboard, path), [clipboard, path]),
    mayUpload: opened.actions.includes('upload_file'),
    mayDownload: opened.actions.includes('download_file'),
  };
}

/** Focuses the list in another folder, unless the focus is outside of the browser. */
function useListFocus(path: string, onFolder: () => void) {
  const main = useRef<HTMLDivElement>(null);
  const focusList = () => main.current?.querySelector<HTMLElement>('[role="grid"]')?.focus();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another folder begins afresh
  useEffect(() => {
    onFolder();
    if (document.activeElement === document.body || main.current?.contains(document.activeElement))
      focusList();
  }, [path]);
  return { main, focusList };
}

function OpenDialog({
  dialog,
  folder,
  onClose,
}: {
  readonly dialog: Dialog;
  readonly folder: ReturnType<typeof useFolder>;
  readonly onClose: () => void;
}) {
  const { manager, mayUpload } = folder;
  return dialog.kind === 'view' ? (
    <ViewDialog
      place={manager.place}
      path={dialog.path}
      mayUpload={mayUpload}
      onSaved={() => void manager.refresh()}
      onClose={onClose}
    />
  ) : (
    <ChangeDialog {...folder} kind={dialog.kind} onClose={onClose} />
  );
}

/** Counts the visible or the selected items. */
function StatusLine({
  state,
  visible,
  chosen,
  account,
}: {
  readonly state: FilesSnapshot;
  readonly visible: readonly FileItem[];
  readonly chosen: readonly FileItem[];
  readonly account: string;
}) {
  const size = chosen.reduce((sum, item) => sum + (item.kind === 'file' ? item.size : 0), 0);
  return (
    <footer className={styles.status}>
      <span role="status">
        {state.isLoading
          ? t(words.loadingCount, { count: state.items.length })
          : chosen.length > 0
            ? t(words.chosen, { count: chosen.length, size: sizeText(size) })
            : t(words.count, { count: visible.length })}
      </span>
      <span data-wide-only>{account}</span>
    </footer>
  );
}

/** A browser of folders: the list, its tools, and uploads into the folder. */
export function FileBrowser(props: Props) {
  const { state, account, uploads, onOtherAccount } = props;
  const [menu, setMenu] = useState<FileMenuPlace | null>(null);
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const filterInput = useRef<HTMLInputElement>(null);
  const { visible, sorting, onSort, ...filtering } = useVisibleItems(state.items);
  const { onFilter } = filtering;
  const folder = useFolder(props, visible);
  const { path, tools, actions, chosen } = folder;
  const { main, focusList } = useListFocus(path, () => {
    tools.clear();
    onFilter('');
  });

  const open = (item: FileItem) =>
    void openItem(item, {
      ...folder,
      onView: (target) => setDialog({ kind: 'view', path: target }),
      onDownload: (file) => actions.download([file]),
    });
  const drops = useFileDrops(folder);
  return (
    // Users can drop files anywhere here; the upload button does the same.
    <div
      ref={main}
      className={styles.browser}
      data-drop={drops.target === '' || undefined}
      {...drops.area}
    >
      <BrowserBar
        {...folder}
        state={state}
        {...filtering}
        filterRef={filterInput}
        onMake={(kind) => setDialog({ kind })}
        onCrumbDrop={drops.into}
        onLeaveFilter={() => {
          const [first] = visible;
          if (first && !tools.selection.active) tools.only(first.name);
          focusList();
        }}
        onOtherAccount={onOtherAccount}
      />
      <FileList
        items={visible}
        label={t(words.list, { path: shownName(path) })}
        sorting={sorting}
        onSort={onSort}
        tools={tools}
        cut={folder.cut}
        onOpen={open}
        onMenu={(item, x, y) => setMenu({ item, x, y })}
        onKey={(event) =>
          handleKey(event, {
            ...folder,
            onRename: () => setDialog({ kind: 'rename' }),
            onType: (letter) => {
              onFilter((text) => text + letter);
              filterInput.current?.focus();
            },
          })
        }
        drag={drops}
      />
      {visible.length === 0 ? (
        <EmptyFolder
          {...folder}
          state={state}
          isFiltered={filtering.filter !== ''}
          onClear={() => onFilter('')}
        />
      ) : null}
      {drops.target === '' ? (
        <div className={styles.drop}>{t(words.dropHere, { path: shownName(path) })}</div>
      ) : null}
      <StatusLine state={state} visible={visible} chosen={chosen} account={account} />
      <UploadPanel uploads={uploads} />
      {menu ? (
        <FileMenu
          {...folder}
          place={menu}
          onOpen={open}
          onDialog={(kind) => setDialog({ kind })}
          onClose={() => setMenu(null)}
        />
      ) : null}
      {dialog ? (
        <OpenDialog
          dialog={dialog}
          folder={folder}
          onClose={() => {
            setDialog(null);
            if (dialog.kind === 'view') focusList();
          }}
        />
      ) : null}
    </div>
  );
}

interface EmptyFolderProps {
  readonly manager: FileManager;
  readonly state: FilesSnapshot;
  readonly isFiltered: boolean;
  readonly mayUpload: boolean;
  readonly onClear: () => void;
}

/** A folder without visible files: it failed, is loading, is empty, or the filter hides them. */
function EmptyFolder({ manager, state, isFiltered, mayUpload, onClear }: EmptyFolderProps) {
  return (
    <div className={styles.over}>
      {state.error !== null ? (
        <div role="alert">
          <strong>{t(words.failed)}</strong>
          <p>{state.error}</p>
          <Button size="xs" variant="default" onClick={() => void manager.refresh()}>
            {t(common.retry)}
          </Button>
        </div>
      ) : state.isLoading ? (
        <div aria-busy="true" className={styles.skeletons}>
          {[52, 38, 61, 45, 57, 33].map((width) => (
            <Skeleton key={width} height={14} width={`${width}%`} />
          ))}
        </div>
      ) : (
        <div>
          <strong>{t(isFiltered ? words.nothing : words.empty)}</strong>
          {isFiltered ? (
            <Button size="xs" variant="default" onClick={onClear}>
              {t(words.clearFilter)}
            </Button>
          ) : mayUpload ? (
            <p>{t(words.emptyHint)}</p>
          ) : null}
        </div>
      )}
    </div>
  );
}

import type { FilesOpened } from '@sallyport/contract';
import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { t } from '../../kit/i18n/index.ts';
import { BrowserBar } from './BrowserBar.tsx';
import { handleKey } from './browser-keys.ts';
import { ChangeDialog } from './ChangeDialogs.tsx';
import { EmptyFolder } from './EmptyFolder.tsx';
import {
  type FileItem,
  filterItems,
  nameOf,
  parentOf,
  type Sorting,
  type SortKey,
  shownName,
  sizeText,
  sortItems,
} from './entries.ts';
import { FileList } from './FileList.tsx';
import { FileMenu, type FileMenuPlace } from './FileMenu.tsx';
import styles from './Files.module.css';
import type { FileManager, FilesSnapshot } from './file-manager.ts';
import { openItem } from './open-item.ts';
import { UploadPanel } from './UploadPanel.tsx';
import type { UploadQueue } from './upload-queue.ts';
import { useFileActions } from './useFileActions.ts';
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

/** A browser of folders: the list, its tools, and uploads into the folder. */
export function FileBrowser({ manager, state, opened, account, uploads, onOtherAccount }: Props) {
  const { path, items } = state;
  const [sorting, setSorting] = useState<Sorting>({ key: 'name', descending: false });
  const [filter, setFilter] = useState('');
  const [showHidden, setShowHidden] = useState(false);
  const [menu, setMenu] = useState<FileMenuPlace | null>(null);
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const filterInput = useRef<HTMLInputElement>(null);
  const main = useRef<HTMLDivElement>(null);
  const deferredFilter = useDeferredValue(filter);
  const visible = useMemo(
    () => sortItems(filterItems(items, deferredFilter, showHidden), sorting),
    [items, deferredFilter, showHidden, sorting],
  );
  const order = useMemo(() => visible.map(({ name }) => name), [visible]);
  const tools = useSelection(order);
  const actions = useFileActions(manager, uploads, items);
  const mayUpload = opened.actions.includes('upload_file');
  const mayDownload = opened.actions.includes('download_file');
  const chosen = useMemo(
    () => visible.filter(({ name }) => tools.selection.names.has(name)),
    [visible, tools.selection.names],
  );
  const cut = useMemo(
    () =>
      new Set(
        actions.clipboard?.action === 'move'
          ? actions.clipboard.paths.filter((one) => parentOf(one) === path).map(nameOf)
          : [],
      ),
    [actions.clipboard, path],
  );
  const focusList = () => main.current?.querySelector<HTMLElement>('[role="grid"]')?.focus();

  const { clear } = tools;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another folder begins afresh
  useEffect(() => {
    clear();
    setFilter('');
    if (document.activeElement === document.body || main.current?.contains(document.activeElement))
      focusList();
  }, [path]);

  const open = (item: FileItem) =>
    openItem(item, {
      manager,
      path,
      mayDownload,
      onView: (target) => setDialog({ kind: 'view', path: target }),
      onDownload: (file) => actions.download([file]),
    });
  const drops = useFileDrops({ path, tools, actions, mayUpload, mayDownload });
  const chosenSize = chosen.reduce((sum, { kind, size }) => sum + (kind === 'file' ? size : 0), 0);
  return (
    // Users can drop files anywhere here; the upload button does the same.
    <div
      ref={main}
      className={styles.browser}
      data-drop={drops.target === '' || undefined}
      {...drops.area}
    >
      <BrowserBar
        manager={manager}
        state={state}
        filter={filter}
        onFilter={setFilter}
        filterRef={filterInput}
        showHidden={showHidden}
        onShowHidden={() => setShowHidden(!showHidden)}
        chosenCount={chosen.length}
        mayUpload={mayUpload}
        mayDownload={mayDownload}
        onUpload={(local) => void actions.upload(local)}
        onDownload={() => actions.download(chosen)}
        onDelete={() => actions.remove(chosen)}
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
        onSort={(key: SortKey) =>
          setSorting({ key, descending: sorting.key === key && !sorting.descending })
        }
        tools={tools}
        cut={cut}
        onOpen={(item) => void open(item)}
        onMenu={(item, x, y) => setMenu({ item, x, y })}
        onKey={(event) =>
          handleKey(event, {
            manager,
            actions,
            tools,
            chosen,
            path,
            mayUpload,
            mayDownload,
            onRename: () => setDialog({ kind: 'rename' }),
            onType: (letter) => {
              setFilter((text) => text + letter);
              filterInput.current?.focus();
            },
          })
        }
        drag={drops}
      />
      {visible.length === 0 ? (
        <EmptyFolder
          state={state}
          isFiltered={filter !== ''}
          mayUpload={mayUpload}
          onRetry={() => void manager.refresh()}
          onClear={() => setFilter('')}
        />
      ) : null}
      {drops.target === '' ? (
        <div className={styles.drop}>{t(words.dropHere, { path: shownName(path) })}</div>
      ) : null}
      <footer className={styles.status}>
        <span role="status">
          {state.isLoading
            ? t(words.loadingCount, { count: items.length })
            : chosen.length > 0
              ? t(words.chosen, { count: chosen.length, size: sizeText(chosenSize) })
              : t(words.count, { count: visible.length })}
        </span>
        <span data-wide-only>{account}</span>
      </footer>
      <UploadPanel uploads={uploads} />
      {menu ? (
        <FileMenu
          place={menu}
          folder={path}
          chosen={chosen}
          actions={actions}
          mayUpload={mayUpload}
          mayDownload={mayDownload}
          onOpen={(item) => void open(item)}
          onDialog={(kind) => setDialog({ kind })}
          onRefresh={() => void manager.refresh()}
          onClose={() => setMenu(null)}
        />
      ) : null}
      {dialog?.kind === 'view' ? (
        <ViewDialog
          place={manager.place}
          path={dialog.path}
          mayUpload={mayUpload}
          onSaved={() => void manager.refresh()}
          onClose={() => {
            setDialog(null);
            focusList();
          }}
        />
      ) : null}
      {dialog && dialog.kind !== 'view' ? (
        <ChangeDialog
          kind={dialog.kind}
          chosen={chosen}
          path={path}
          items={items}
          actions={actions}
          onClose={() => setDialog(null)}
        />
      ) : null}
    </div>
  );
}

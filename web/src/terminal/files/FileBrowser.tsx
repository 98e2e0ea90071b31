import { Button, Skeleton } from '@mantine/core';
import type { FilesOpened } from '@sallyport/contract';
import {
  type DragEvent,
  type KeyboardEvent,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { common, t } from '../../kit/i18n/index.ts';
import { toast } from '../../kit/toast.tsx';
import { BrowserBar } from './BrowserBar.tsx';
import { ModeDialog, NameDialog } from './ChangeDialogs.tsx';
import { readDropped } from './dropped-files.ts';
import {
  type FileItem,
  filterItems,
  nameOf,
  parentOf,
  pathIn,
  type Sorting,
  type SortKey,
  shownName,
  sizeText,
  sortItems,
  viewerOf,
} from './entries.ts';
import { FileList } from './FileList.tsx';
import { FileMenu, type FileMenuPlace } from './FileMenu.tsx';
import styles from './Files.module.css';
import type { FileManager, FilesSnapshot } from './file-manager.ts';
import { readEntry } from './files-api.ts';
import { UploadPanel } from './UploadPanel.tsx';
import type { UploadQueue } from './upload-queue.ts';
import { useFileActions } from './useFileActions.ts';
import { useSelection } from './useSelection.ts';
import { ViewDialog } from './ViewDialog.tsx';
import { words } from './words.ts';

/** The type of files that are dragged within the page. */
const DRAGGED = 'application/x-sallyport-files';

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
  const [dropTarget, setDropTarget] = useState<string | null>(null);
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

  const open = async (item: FileItem) => {
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
    if (viewerOf(item.name)) setDialog({ kind: 'view', path: target });
    else actions.download([{ ...item, kind }]);
  };

  const chosenPaths = () => chosen.map(({ name }) => pathIn(path, name));
  const onKey = (event: KeyboardEvent): boolean => {
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
    else if (event.key === 'F2' && chosen.length === 1 && mayUpload) setDialog({ kind: 'rename' });
    else if (event.key === 'Delete' && mayUpload) actions.remove(chosen);
    else if (event.key === 'Escape') tools.clear();
    else if (event.key === 'F5') void manager.refresh();
    else if (event.key.length === 1 && !isCommand && !event.altKey) {
      // Typing starts a search.
      setFilter((text) => text + event.key);
      filterInput.current?.focus();
    } else return false;
    return true;
  };

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
  const drag = {
    target: dropTarget,
    start: (event: DragEvent, { name }: FileItem) => {
      const names = tools.selection.names.has(name) ? [...tools.selection.names] : [name];
      event.dataTransfer.setData(DRAGGED, JSON.stringify(names.map((one) => pathIn(path, one))));
      event.dataTransfer.effectAllowed = 'copyMove';
    },
    over: onDragOver,
    drop: (event: DragEvent, folder: FileItem | null) =>
      dropInto(event, folder ? pathIn(path, folder.name) : path),
  };

  const chosenSize = chosen.reduce((sum, { kind, size }) => sum + (kind === 'file' ? size : 0), 0);
  const isEmpty = visible.length === 0;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: files can be dropped anywhere; the upload button does the same
    <div
      ref={main}
      className={styles.browser}
      data-drop={dropTarget === '' || undefined}
      onDragOver={(event) => onDragOver(event, null)}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setDropTarget(null);
      }}
      onDragEnd={() => setDropTarget(null)}
      onDrop={(event) => dropInto(event, path)}
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
        onCrumbDrop={dropInto}
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
        onKey={onKey}
        drag={drag}
      />
      {isEmpty ? (
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
              <strong>{t(filter ? words.nothing : words.empty)}</strong>
              {filter ? (
                <Button size="xs" variant="default" onClick={() => setFilter('')}>
                  {t(words.clearFilter)}
                </Button>
              ) : mayUpload ? (
                <p>{t(words.emptyHint)}</p>
              ) : null}
            </div>
          )}
        </div>
      ) : null}
      {dropTarget === '' ? (
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

interface ChangeProps {
  readonly kind: 'rename' | 'mode' | 'make_folder' | 'make_file';
  readonly chosen: readonly FileItem[];
  readonly path: string;
  readonly items: readonly FileItem[];
  readonly actions: ReturnType<typeof useFileActions>;
  readonly onClose: () => void;
}

/** Asks for the name or the permission bits of a change. */
function ChangeDialog({ kind, chosen, path, items, actions, onClose }: ChangeProps) {
  const isTaken = (name: string) => items.some((item) => item.name === name);
  const [first] = chosen;
  if (kind === 'mode') {
    if (!first) return null;
    const title =
      chosen.length === 1
        ? `${t(words.permissions)} · ${shownName(first.name)}`
        : `${t(words.permissions)} · ${t(words.count, { count: chosen.length })}`;
    const paths = chosen.map(({ name }) => pathIn(path, name));
    return (
      <ModeDialog
        title={title}
        first={first.mode}
        onMode={(mode) => actions.setMode(paths, mode)}
        onClose={onClose}
      />
    );
  }
  if (kind === 'rename') {
    if (!first) return null;
    const rename = (name: string) => actions.rename(pathIn(path, first.name), name);
    return (
      <NameDialog
        title={t(words.rename)}
        action={t(words.rename)}
        first={first.name}
        isTaken={isTaken}
        onName={rename}
        onClose={onClose}
      />
    );
  }
  const title = t(kind === 'make_folder' ? words.newFolder : words.newFile);
  return (
    <NameDialog
      title={title}
      action={t(words.create)}
      first=""
      isTaken={isTaken}
      onName={(name) => actions.make(kind, name)}
      onClose={onClose}
    />
  );
}

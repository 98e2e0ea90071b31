import {
  type KeyboardEvent,
  type MouseEvent,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { isComposing } from '../../kit/composing.ts';
import { t } from '../../kit/i18n/index.ts';
import { IconBell, IconX } from '../icons.ts';
import { StatusMark, statusOf } from '../session/StatusMark.tsx';
import type { SessionTab } from '../tabs/session-tab.ts';
import { type Tab, TITLE_MAX } from '../tabs/tabs-state.ts';
import { words } from '../words.ts';
import styles from './Workspace.module.css';

interface Props {
  readonly tab: Tab;
  readonly session: SessionTab;
  readonly active: boolean;
  readonly renaming: boolean;
  readonly onActivate: () => void;
  readonly onClose: () => void;
  readonly onRename: (title: string | null) => void;
  readonly onAskRename: () => void;
  readonly onMenu: (x: number, y: number) => void;
  readonly onStep: (by: 1 | -1) => void;
  readonly onDropHere: (id: string) => void;
}

const DRAG_TYPE = 'application/x-sallyport-tab';

function TitleInput({
  title,
  onDone,
}: {
  readonly title: string;
  readonly onDone: (title: string | null) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  const [value, setValue] = useState(title);
  useEffect(() => {
    input.current?.focus();
    input.current?.select();
  }, []);
  return (
    <input
      ref={input}
      className={styles.titleInput}
      aria-label={t(words.tabTitle)}
      value={value}
      maxLength={TITLE_MAX}
      onChange={(event) => setValue(event.currentTarget.value)}
      onBlur={() => onDone(value)}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (isComposing(event)) return;
        if (event.key === 'Enter') onDone(value);
        else if (event.key === 'Escape') onDone(null);
      }}
    />
  );
}

function UnseenMark({ unseen }: Pick<Tab, 'unseen'>) {
  if (unseen === 'none') return null;
  return (
    <span
      className={styles.unseen}
      data-kind={unseen}
      role="img"
      aria-label={t(unseen === 'bell' ? words.unseenBell : words.unseenOutput)}
    >
      {unseen === 'bell' ? <IconBell size={12} /> : null}
    </span>
  );
}

/** One tab: status, name, mark of unseen events, and close button. */
export function TabItem({
  tab,
  session,
  active,
  renaming,
  onActivate,
  onClose,
  onRename,
  onAskRename,
  onMenu,
  onStep,
  onDropHere,
}: Props) {
  const status = statusOf(useSyncExternalStore(session.subscribe, session.snapshot));
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (active) element.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [active]);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key === 'ArrowRight') onStep(1);
    else if (event.key === 'ArrowLeft') onStep(-1);
    else if (event.key === 'Delete') onClose();
    else if (event.key === 'F2') onAskRename();
    else if (event.key === 'Enter' || event.key === ' ') session.view.focus();
    else return;
    event.preventDefault();
  };
  const openMenu = (event: MouseEvent) => {
    event.preventDefault();
    const box = event.currentTarget.getBoundingClientRect();
    onMenu(event.clientX || box.left, event.clientY || box.bottom);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the tab inside is the control; dragging, the menu and the middle button are shortcuts to it
    <div
      ref={element}
      className={styles.tab}
      data-active={active || undefined}
      data-status={status}
      draggable={!renaming}
      role="presentation"
      onDragStart={(event) => event.dataTransfer.setData(DRAG_TYPE, tab.id)}
      onDragOver={(event) => {
        if (event.dataTransfer.types.includes(DRAG_TYPE)) event.preventDefault();
      }}
      onDrop={(event) => {
        event.preventDefault();
        const id = event.dataTransfer.getData(DRAG_TYPE);
        if (id) onDropHere(id);
      }}
      onContextMenu={openMenu}
      onAuxClick={(event) => {
        if (event.button === 1) onClose();
      }}
    >
      {renaming ? (
        <TitleInput title={tab.title} onDone={onRename} />
      ) : (
        <button
          type="button"
          id={`tab-${tab.id}`}
          role="tab"
          aria-selected={active}
          aria-controls={`pane-${tab.id}`}
          aria-keyshortcuts="Delete F2"
          aria-description={t(words.tabHint)}
          tabIndex={active ? 0 : -1}
          className={styles.tabButton}
          title={`${tab.title} · ${tab.asset.ip}`}
          onClick={onActivate}
          onDoubleClick={onAskRename}
          onKeyDown={onKeyDown}
        >
          <StatusMark status={status} label />
          <span className={styles.tabTitle}>{tab.title}</span>
          <UnseenMark unseen={tab.unseen} />
        </button>
      )}
      {/* A tab list may contain tabs only, so this button is for the mouse. The Delete key and the
            list next to the tabs close the tab too. */}
      <button
        type="button"
        className={styles.tabClose}
        tabIndex={-1}
        aria-hidden="true"
        title={t(words.closeNamed, { name: tab.title })}
        onClick={onClose}
      >
        <IconX size={13} />
      </button>
    </div>
  );
}

import { type DragEvent, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { t } from '../../kit/i18n/index.ts';
import { lazyComponent } from '../../kit/lazy-component.tsx';
import { type LocalFiles, readDropped } from '../files/dropped-files.ts';
import { GuestBar } from '../invite/GuestBar.tsx';
import { useSettings } from '../settings/settings-store.ts';
import type { SessionTab } from '../tabs/session-tab.ts';
import type { TerminalView } from '../view/terminal-view.ts';
import frame from '../Window.module.css';
import { KeyBar } from './KeyBar.tsx';
import { SearchBar } from './SearchBar.tsx';
import { isDocked, SessionOverlay } from './SessionOverlay.tsx';
import styles from './SessionPane.module.css';
import { StatusBar } from './StatusBar.tsx';
import { words } from './words.ts';

const DesktopPane = lazyComponent(() =>
  import('../desktop/DesktopPane.tsx').then((module) => module.DesktopPane),
);

/** Element that holds a screen. The screen outlives this component. */
function TerminalHost({
  view,
  visible,
}: {
  readonly view: TerminalView;
  readonly visible: boolean;
}) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (host.current) view.mount(host.current);
    return () => view.unmount();
  }, [view]);
  useEffect(() => {
    view.setVisible(visible);
  }, [view, visible]);
  return <div ref={host} className={styles.host} />;
}

interface Props {
  readonly id: string;
  readonly session: SessionTab;
  readonly visible: boolean;
  /** The pane has the keyboard; several panes can be visible. */
  readonly active: boolean;
  /** Mark among several panes: in front, at the side, or in simultaneous input. */
  readonly mark?: 'front' | 'beside' | 'together' | undefined;
  /** The pane received the focus. */
  readonly onActive: () => void;
  readonly searching: boolean;
  readonly onSearchClosed: () => void;
  readonly onPaste: () => void;
  /**
   * The user dropped files on the pane. Read them in the handler: the browser clears the list after
   * the event.
   */
  readonly onDropped: (files: Promise<LocalFiles>) => void;
  readonly onClose: () => void;
}

const BELL_MILLISECONDS = 200;

/** Returns true shortly after the bell rang. */
function useBell(session: SessionTab): boolean {
  const [ringing, setRinging] = useState(false);
  useEffect(() => {
    let timer: number | undefined;
    const off = session.view.on('bell', () => {
      setRinging(true);
      window.clearTimeout(timer);
      timer = window.setTimeout(() => setRinging(false), BELL_MILLISECONDS);
    });
    return () => {
      window.clearTimeout(timer);
      off();
    };
  }, [session]);
  return ringing;
}

/** One session: its screen, the cards over the screen, and the status bar. */
export function SessionPane({
  id,
  session,
  visible,
  active,
  mark,
  onActive,
  searching,
  onSearchClosed,
  onPaste,
  onDropped,
  onClose,
}: Props) {
  const snapshot = useSyncExternalStore(session.subscribe, session.snapshot);
  const { visualBell } = useSettings();
  const ringing = useBell(session);
  const { desktop } = snapshot;
  const docked = isDocked(snapshot);
  const readable = docked || snapshot.connection.phase === 'open';
  useEffect(() => {
    // Focus follows to the terminal in front, except while the user moves along the tabs.
    if (!active || !readable || document.activeElement?.closest('[role="tablist"]')) return;
    if (desktop) desktop.focus();
    else session.view.focus();
  }, [session, desktop, active, readable]);
  const restored = snapshot.choice.kind === 'restored';
  useEffect(() => {
    // A tab from before a reload is in front: Enter reconnects it.
    if (active && restored && !document.activeElement?.closest('[role="tablist"]'))
      document.querySelector<HTMLElement>(`#pane-${id} [data-autofocus]`)?.focus();
  }, [id, active, restored]);
  const [isDrop, setDrop] = useState(false);
  // Files go to terminals only.
  const hasFiles = ({ dataTransfer }: DragEvent) =>
    !desktop && dataTransfer.types.includes('Files');
  const overlay = <SessionOverlay session={session} snapshot={snapshot} onClose={onClose} />;
  return (
    <section
      id={`pane-${id}`}
      role="tabpanel"
      aria-labelledby={`tab-${id}`}
      className={styles.pane}
      hidden={!visible}
      data-mark={mark}
      onFocus={active ? undefined : onActive}
      data-bell={(visualBell && ringing) || undefined}
      onDragOver={(event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        event.dataTransfer.dropEffect = 'copy';
        setDrop(true);
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setDrop(false);
      }}
      onDrop={(event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setDrop(false);
        onDropped(readDropped(event.dataTransfer));
      }}
    >
      {mark === 'together' ? <p className={styles.together}>{t(words.typedTogether)}</p> : null}
      {/* The live region exists before its text: screen readers announce changes only. */}
      <p className={frame.notice} role="status" data-over={snapshot.notice?.over || undefined}>
        {snapshot.notice?.message}
      </p>
      <p className={frame.notice} role="status">
        {snapshot.locked}
      </p>
      {snapshot.guests.length > 0 && session.liveSession !== null ? (
        <GuestBar session={session.liveSession} guests={snapshot.guests} />
      ) : null}
      {searching && !desktop ? <SearchBar view={session.view} onClose={onSearchClosed} /> : null}
      <div className={styles.screen}>
        {desktop ? (
          <DesktopPane desktop={desktop} isOpen={snapshot.connection.phase === 'open'} />
        ) : (
          <TerminalHost view={session.view} visible={visible} />
        )}
        {docked ? null : overlay}
        {isDrop ? (
          <div className={styles.drop}>{t(words.dropHere, { name: session.asset.hostname })}</div>
        ) : null}
      </div>
      {docked ? overlay : null}
      {desktop ? null : <KeyBar session={session} onPaste={onPaste} />}
      <StatusBar session={session} snapshot={snapshot} />
    </section>
  );
}

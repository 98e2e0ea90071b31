import { UnstyledButton } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { BASE_PATH } from '../../kit/base-path.ts';
import { common, language, t } from '../../kit/i18n/index.ts';
import { IconPin, IconX } from '../../kit/icons.ts';
import { setDocumentTitle } from '../../kit/page/brand.ts';
import {
  onApproach,
  stringifySearch,
  useGoAddress,
  useLoadAhead,
  usePath,
  useSearchRecord,
} from '../base/navigation.tsx';
import { usePreferences } from '../base/preferences.ts';
import { screenOf } from '../base/screen.ts';
import { useSession } from '../base/session.tsx';
import { claimTabs, currentTabs, keepTabs, setTabs, useTabs, visit } from '../base/tabs/store.ts';
import {
  afterClosing,
  closed,
  closedAll,
  closedOthers,
  pinToggled,
  type Tab,
  titleOf,
} from '../base/tabs/tab-list.ts';
import { words } from '../base/words.ts';
import { VisitedTabMenu } from './VisitedTabMenu.tsx';
import styles from './VisitedTabs.module.css';

const MIDDLE_BUTTON = 1;

/** Pins or unpins the focused tab; a double click does the same. */
const PIN_KEY = 'p';

/** Pixels between the pointer and the menu. */
const MENU_GAP = 15;

const SCROLL_MARGIN = 4;

const WHEEL_SLOWNESS = 4;

interface OpenMenu {
  readonly tab: Tab;
  readonly x: number;
  readonly y: number;
}

/**
 * Remembers in this browser that the row is hidden, so that pages do not move when preferences
 * arrive.
 */
const HIDDEN = 'sallyport-visited-hidden';

/** Returns true if the user hides the row of visited pages. */
function useIsHidden(): boolean {
  const { preferences, loaded } = usePreferences();
  const hidden = preferences.visited_pages === 'hidden';
  useEffect(() => {
    if (loaded) localStorage.setItem(HIDDEN, hidden ? '1' : '');
  }, [loaded, hidden]);
  return loaded ? hidden : localStorage.getItem(HIDDEN) === '1';
}

/** Scrolls the row to the tab of a page, with a part of the next tab visible. */
function showTab(row: HTMLElement | null, path: string): void {
  const tab = row?.querySelector<HTMLElement>(`[data-path="${CSS.escape(path)}"]`);
  if (!row || !tab) return;
  if (tab.offsetLeft < row.scrollLeft) row.scrollLeft = tab.offsetLeft - SCROLL_MARGIN;
  else if (tab.offsetLeft + tab.offsetWidth > row.scrollLeft + row.clientWidth)
    row.scrollLeft = tab.offsetLeft + tab.offsetWidth - row.clientWidth + SCROLL_MARGIN;
}

/** Records visits of pages as tabs. Drops the tabs of pages that the user may not open. */
function useVisits() {
  const { screens, profile, organization } = useSession();
  const path = usePath();
  const search = stringifySearch(useSearchRecord());

  // Claim the tabs before the first visit is recorded and before the first render.
  useState(() => claimTabs({ person: profile.id, organization: organization?.id ?? '', language }));
  useEffect(() => keepTabs((tab) => screenOf(screens, tab.path) !== undefined), [screens]);

  useEffect(() => {
    const screen = screenOf(screens, path);
    if (!screen) return;
    // Add the start page even if a link led elsewhere first.
    const start = screens.find(({ affix }) => affix);
    if (start && !currentTabs().some(({ affix }) => affix))
      visit({ path: start.path, address: start.path, title: t(start.title), affix: true });
    const known = currentTabs().find((tab) => tab.path === path);
    visit({
      path,
      address: path + search,
      title: known?.title || t(screen.title),
      affix: screen.affix ?? false,
    });
    setDocumentTitle(known?.title || t(screen.title));
  }, [screens, path, search]);
}

/** Scrolls the row: to the tab of each new page, and with the wheel. */
function useRowScroll(bar: RefObject<HTMLDivElement | null>) {
  const path = usePath();
  const router = useRouter();

  // Wait for the router: after each navigation it restores scroll positions, including that of this
  // row.
  useEffect(() => {
    const show = () => showTab(bar.current, path);
    show();
    return router.subscribe('onRendered', show);
  });

  // The wheel scrolls this row instead of the page. React's wheel listener is passive and cannot
  // prevent page scrolling.
  useEffect(() => {
    const row = bar.current;
    if (!row) return;
    function onWheel(event: WheelEvent) {
      if (!row || row.scrollWidth <= row.clientWidth) return;
      event.preventDefault();
      row.scrollLeft += (event.deltaY || event.deltaX) / WHEEL_SLOWNESS;
    }
    row.addEventListener('wheel', onWheel, { passive: false });
    return () => row.removeEventListener('wheel', onWheel);
  }, [bar]);
}

/** The row of visited pages, each with a context menu. */
export function VisitedTabs() {
  const { screens } = useSession();
  const tabs = useTabs();
  const path = usePath();
  const goAddress = useGoAddress();
  const bar = useRef<HTMLDivElement>(null);
  const [menu, setMenu] = useState<OpenMenu>();
  const hidden = useIsHidden();
  useVisits();
  useRowScroll(bar);

  function leaveFor(next: readonly Tab[]) {
    setTabs(next);
    if (!next.some((tab) => tab.path === path)) goAddress(afterClosing(next));
  }

  const pin = (tab: Tab) => setTabs(pinToggled(tabs, tab.path));
  const close = (tab: Tab) => leaveFor(closed(tabs, tab.path));

  if (hidden) return null;
  return (
    <div className={styles.bar} ref={bar}>
      <nav aria-label={t(words.visited)} style={{ display: 'contents' }}>
        {tabs.map((tab) => (
          <VisitedTab
            key={tab.path}
            tab={tab}
            onPin={() => pin(tab)}
            onClose={() => close(tab)}
            onMenu={setMenu}
          />
        ))}
      </nav>
      {menu && (
        <VisitedTabMenu
          {...menu}
          title={titleOf(screens, menu.tab)}
          onDone={() => setMenu(undefined)}
          onRefresh={() => goAddress(`/redirect${menu.tab.address}`, true)}
          onClose={() => close(menu.tab)}
          onCloseOthers={() => {
            setTabs(closedOthers(tabs, menu.tab.path));
            goAddress(menu.tab.address);
          }}
          onCloseAll={() => leaveFor(closedAll(tabs))}
        />
      )}
    </div>
  );
}

interface VisitedTabProps {
  readonly tab: Tab;
  readonly onPin: () => void;
  readonly onClose: () => void;
  readonly onMenu: (menu: OpenMenu) => void;
}

/** The link to a visited page, with a button that closes or unpins it. */
function VisitedTab({ tab, onPin, onClose, onMenu }: VisitedTabProps) {
  const { screens } = useSession();
  const path = usePath();
  const goAddress = useGoAddress();
  const loadAhead = useLoadAhead();
  const title = titleOf(screens, tab);
  return (
    <div data-path={tab.path} className={`${styles.tab} ${tab.path === path ? styles.active : ''}`}>
      <a
        className={styles.name}
        href={`${BASE_PATH}${tab.address}`}
        title={title}
        {...(tab.path === path && { 'aria-current': 'page' as const })}
        onClick={(event) => {
          if (event.metaKey || event.ctrlKey || event.shiftKey) return;
          event.preventDefault();
          goAddress(tab.address);
        }}
        {...onApproach(() => loadAhead(tab.address))}
        onDoubleClick={onPin}
        {...(!tab.affix && { 'aria-keyshortcuts': PIN_KEY })}
        onKeyDown={({ key, altKey, ctrlKey, metaKey }) => {
          if (key.toLowerCase() === PIN_KEY && !altKey && !ctrlKey && !metaKey) onPin();
        }}
        onContextMenu={(event) => {
          event.preventDefault();
          onMenu({ tab, x: event.clientX + MENU_GAP, y: event.clientY });
        }}
        onAuxClick={(event) => {
          if (event.button !== MIDDLE_BUTTON) return;
          event.preventDefault();
          onClose();
        }}
      >
        {title}
      </a>
      {tab.pinned && (
        <UnstyledButton
          className={styles.close}
          aria-label={`${t(words.tabUnpin)} ${title}`}
          onClick={onPin}
        >
          <IconPin size={12} />
        </UnstyledButton>
      )}
      {!tab.affix && !tab.pinned && (
        <UnstyledButton
          className={styles.close}
          aria-label={`${t(common.close)} ${title}`}
          onClick={onClose}
        >
          <IconX size={12} />
        </UnstyledButton>
      )}
    </div>
  );
}

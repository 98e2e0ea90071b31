import { useMediaQuery } from '@mantine/hooks';
import {
  allows,
  isPasswordEndSoon,
  MOBILE_BREAKPOINT,
  Permission,
  type Watermark,
} from '@sallyport/contract';
import { Outlet } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useState } from 'react';
import { ConnectionBanner } from '../../kit/connection/ConnectionBanner.tsx';
import { COOKIES, readCookie, writeCookie } from '../../kit/cookies.ts';
import { t } from '../../kit/i18n/index.ts';
import { IconInfoCircle } from '../../kit/icons.ts';
import { lazyComponent } from '../../kit/lazy-component.tsx';
import { ErrorBoundary } from '../../kit/page/ErrorBoundary.tsx';
import { PaletteFrame } from '../../kit/palette/PaletteFrame.tsx';
import { PageLink, usePath } from '../base/navigation.tsx';
import { useSavedTheme } from '../base/preferences.ts';
import { useProfile, useSession } from '../base/session.tsx';
import { words } from '../base/words.ts';
import { Announcement } from './Announcement.tsx';
import { Footer } from './Footer.tsx';
import { Header } from './Header.tsx';
import { listenForChanges } from './live.ts';
import styles from './Shell.module.css';
import { Sidebar } from './Sidebar.tsx';
import { useTopArea } from './useTopArea.ts';
import { useUpgradeNotice } from './useUpgradeNotice.ts';
import { VisitedTabs } from './VisitedTabs.tsx';

const HeaderNews = lazyComponent(() =>
  import('./HeaderNews.tsx').then((module) => module.HeaderNews),
);

const PasswordReminder = lazyComponent(() =>
  import('../../kit/page/PasswordReminder.tsx').then((module) => module.PasswordReminder),
);

const SidebarDrawer = lazyComponent(() =>
  import('./SidebarDrawer.tsx').then((module) => module.SidebarDrawer),
);

const Shortcuts = lazyComponent(() => import('./Shortcuts.tsx').then((module) => module.Shortcuts));

const PaletteResults = lazyComponent(() =>
  import('./palette/PaletteResults.tsx').then((module) => module.PaletteResults),
);

/** Link to the form that changes the own password. */
const changePassword = (text: string) => (
  <PageLink to="/users/profile" search={{ activeTab: 'PasswordUpdate' }} inherit underline="always">
    {text}
  </PageLink>
);

function PasswordLine() {
  const profile = useProfile();
  return isPasswordEndSoon(profile) ? (
    <PasswordReminder profile={profile} link={changePassword} />
  ) : null;
}

/** Focuses the first row of the list, whose letters and arrows then work. */
function focusRows(): void {
  document.querySelector<HTMLElement>('main tr[data-row] :is(a[href], button, input)')?.focus();
}

/** Focuses the page's search field, if any. */
function focusSearch(): void {
  document.querySelector<HTMLInputElement>('[data-page-search]')?.focus();
}

type Dialog = 'palette' | 'shortcuts';

/** Delay in milliseconds before opening the live channel. */
const LIVE_AFTER = 4_000;

/** Opens the live channel of an organization after a delay. Returns true from then on. */
function useLiveChanges(here: string): boolean {
  const [settled, setSettled] = useState(false);
  useEffect(() => {
    const gone = new AbortController();
    const timer = setTimeout(() => {
      setSettled(true);
      void listenForChanges(here, gone.signal);
    }, LIVE_AFTER);
    return () => {
      clearTimeout(timer);
      gone.abort();
    };
  }, [here]);
  return settled;
}

/** Sets the watermark of the page; its code loads if there is one. */
function useWatermark(mark: Watermark | null): void {
  useEffect(() => {
    if (!mark) return;
    const module = import('../../kit/watermark/watermark.ts');
    void module.then(({ setWatermark }) => setWatermark(mark));
    return () => void module.then(({ setWatermark }) => setWatermark(null));
  }, [mark]);
}

/** The frame around every page: sidebar, header, visited tabs, the page, footer. */
export function Shell() {
  const { settings, profile, organization, role, parts } = useSession();
  const mobile = useMediaQuery(`(max-width: ${MOBILE_BREAKPOINT - 1}px)`, false, {
    getInitialValueInEffect: false,
  });
  const [open, setOpen] = useState(!mobile && readCookie(COOKIES.sidebar) !== '0');
  const [dialog, setDialog] = useState<Dialog>();
  const path = usePath();
  useSavedTheme();
  useWatermark(profile.watermark);

  function openPalette() {
    // An open dialog blocks the palette.
    if (dialog === 'shortcuts' || !document.querySelector('[role="dialog"]')) setDialog('palette');
  }

  function setSidebar(next: boolean) {
    setOpen(next);
    if (!mobile) writeCookie(COOKIES.sidebar, next ? '1' : '0');
  }

  // On a narrow window the sidebar is a drawer: it starts closed, and every navigation closes it.
  // A window that becomes wide again has the sidebar of before.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new path is the reason, not an input
  useEffect(() => {
    setOpen(!mobile && readCookie(COOKIES.sidebar) !== '0');
  }, [mobile, path]);

  useKeys({
    search: focusSearch,
    rows: focusRows,
    shortcuts: () => setDialog('shortcuts'),
    palette: openPalette,
  });
  const settled = useLiveChanges(organization?.id ?? '');
  useUpgradeNotice(settled);
  const top = useTopArea();

  return (
    <div className={`${styles.shell} ${mobile ? styles.mobile : open ? '' : styles.collapsed}`}>
      <a href="#content" className={styles.skip}>
        {t(words.skip)}
      </a>
      {mobile ? (
        open && <SidebarDrawer onClose={() => setSidebar(false)} />
      ) : (
        <Sidebar small={!open} />
      )}
      <div className={styles.column}>
        <div className={styles.top} ref={top}>
          <ConnectionBanner />
          <Announcement />
          {settings.DEMO_MODE && (
            <aside className={styles.notice} aria-label={t(words.demoMode)}>
              <IconInfoCircle size={16} /> {t(words.demo)}
            </aside>
          )}
          {settled &&
            allows(role.current, Permission.AUDIT) &&
            parts.map(
              ({ feature, notice: Notice }) =>
                Notice && (
                  <Notice key={feature} {...(styles.notice && { className: styles.notice })} />
                ),
            )}
          <PasswordLine />
          <Header
            news={settled && <HeaderNews />}
            mobile={mobile}
            sidebarOpen={open}
            onToggleSidebar={() => setSidebar(!open)}
            onFind={openPalette}
            onShortcuts={() => setDialog('shortcuts')}
          />
          <VisitedTabs />
        </div>
        <main className={styles.main} id="content" tabIndex={-1}>
          <ErrorBoundary key={path}>
            <Outlet />
          </ErrorBoundary>
        </main>
        <Footer />
      </div>
      {dialog === 'palette' && (
        <PaletteFrame
          label={t(words.palette)}
          results={PaletteResults}
          onClose={() => setDialog(undefined)}
        />
      )}
      {dialog === 'shortcuts' && <Shortcuts onClose={() => setDialog(undefined)} />}
    </div>
  );
}

/** Keyboard shortcuts of every page. */
interface PageKeys {
  /** `/`: focus the search of the list. */
  readonly search: () => void;
  /** `j`: focus the first row of the list. */
  readonly rows: () => void;
  /** `?`: show the shortcuts. */
  readonly shortcuts: () => void;
  /** Ctrl+K, or ⌘K on a Mac; also inside of fields. */
  readonly palette: () => void;
}

const isField = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

function useKeys({ search, rows, shortcuts, palette }: PageKeys): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    const { key, altKey, shiftKey, target } = event;
    const hasCommand = event.ctrlKey || event.metaKey;
    const chosen =
      hasCommand && !altKey && !shiftKey && key.toLowerCase() === 'k'
        ? palette
        : hasCommand || altKey || isField(target)
          ? undefined
          : key === '/'
            ? search
            : key === 'j'
              ? rows
              : key === '?'
                ? shortcuts
                : undefined;
    if (!chosen) return;
    event.preventDefault();
    chosen();
  });
  useEffect(() => {
    const { documentElement } = document;
    documentElement.addEventListener('keydown', press);
    return () => documentElement.removeEventListener('keydown', press);
  }, []);
}

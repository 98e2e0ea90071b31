import { ActionIcon, Indicator, Popover } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { BASE_PATH } from '../../../kit/base-path.ts';
import { t } from '../../../kit/i18n/index.ts';
import { IconBell } from '../../../kit/icons.ts';
import { lazyComponent } from '../../../kit/lazy-component.tsx';
import { useCount } from '../../resource/useCount.ts';
import { type News, pageOf, SOURCE, useLatest } from './notifications.ts';
import { words } from './words.ts';

const NotificationPanel = lazyComponent(() =>
  import('./NotificationPanel.tsx').then((module) => module.NotificationPanel),
);

/** The choice belongs to the browser: each asks for its own permission. */
const STORAGE_KEY = 'sallyport-notifications';

const isSupported = () => 'Notification' in window;
const isAllowed = () => isSupported() && Notification.permission === 'granted';

/** Loads the sentences first: the header of each page shows none of them. */
async function show(news: News): Promise<void> {
  const { sentenceOf } = await import('./sentences.ts');
  const popup = new Notification(sentenceOf(news), { tag: news.id });
  popup.onclick = () => {
    window.focus();
    const page = pageOf(news);
    if (page) location.assign(`${BASE_PATH}${page}`);
    popup.close();
  };
}

/**
 * Shows new notifications by the browser while the page is hidden, if the user chose it. Returns
 * the choice; `change` asks for the permission.
 */
function useBrowserNotifications(latest: readonly News[] | undefined) {
  const [isOn, setOn] = useState(() => isAllowed() && localStorage.getItem(STORAGE_KEY) === '1');
  const [isBlocked, setBlocked] = useState(false);
  const known = useRef<ReadonlySet<string>>(undefined);

  useEffect(() => {
    if (!latest) return;
    const fresh = known.current
      ? latest.filter(({ id, is_read: isRead }) => !isRead && !known.current?.has(id))
      : [];
    known.current = new Set(latest.map(({ id }) => id));
    if (isOn && document.visibilityState === 'hidden') for (const news of fresh) void show(news);
  }, [latest, isOn]);

  async function change(on: boolean) {
    const allowed = on && isSupported() && (await Notification.requestPermission()) === 'granted';
    setBlocked(on && !allowed);
    setOn(allowed);
    localStorage.setItem(STORAGE_KEY, allowed ? '1' : '');
  }
  return { isOn, isBlocked, isSupported: isSupported(), change };
}

/** The bell in the header: the number of unread notifications, and the newest in a panel. */
export function NotificationBell() {
  const [open, setOpen] = useState(false);
  const unread = useCount(SOURCE, { is_read: 'false' }) ?? 0;
  const { data } = useLatest();
  const browser = useBrowserNotifications(data?.results);
  return (
    <Popover
      opened={open}
      onChange={setOpen}
      position="bottom-end"
      shadow="md"
      width={380}
      trapFocus
      returnFocus
      withinPortal
    >
      <Indicator
        label={unread > 99 ? '99+' : unread}
        size={16}
        color="red"
        offset={8}
        disabled={unread === 0}
        zIndex={1}
      >
        <Popover.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={
              unread > 0
                ? `${t(words.title)}: ${t(words.unread, { count: unread })}`
                : t(words.title)
            }
            aria-expanded={open}
            aria-haspopup="dialog"
            onClick={() => setOpen(!open)}
          >
            <IconBell size={18} />
          </ActionIcon>
        </Popover.Target>
      </Indicator>
      <Popover.Dropdown p={0} aria-label={t(words.title)}>
        <NotificationPanel unread={unread} browser={browser} onClose={() => setOpen(false)} />
      </Popover.Dropdown>
    </Popover>
  );
}

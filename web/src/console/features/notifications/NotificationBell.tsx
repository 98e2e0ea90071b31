import { ActionIcon, Button, Indicator, Popover, Switch, Text } from '@mantine/core';
import { notification } from '@sallyport/contract';
import { useEffect, useRef, useState } from 'react';
import { t } from '../../../kit/i18n/index.ts';
import { IconBell } from '../../../kit/icons.ts';
import { PageLink } from '../../base/navigation.tsx';
import { Moment } from '../../resource/list/table/Moment.tsx';
import { useCount } from '../../resource/useCount.ts';
import styles from './Notifications.module.css';
import { type News, NOTIFICATIONS, pageOf, useLatest, useMarkRead } from './notifications.ts';
import { sentenceOf, words } from './words.ts';

/** The choice belongs to the browser: each asks for its own permission. */
const STORAGE_KEY = 'sallyport-notifications';

const isSupported = () => 'Notification' in window;
const isAllowed = () => isSupported() && Notification.permission === 'granted';

function show(news: News): void {
  const popup = new Notification(sentenceOf(news), { tag: news.id });
  popup.onclick = () => {
    window.focus();
    const page = pageOf(news);
    if (page) location.assign(`/ui${page}`);
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
    if (isOn && document.visibilityState === 'hidden') for (const news of fresh) show(news);
  }, [latest, isOn]);

  async function change(on: boolean) {
    const allowed = on && isSupported() && (await Notification.requestPermission()) === 'granted';
    setBlocked(on && !allowed);
    setOn(allowed);
    localStorage.setItem(STORAGE_KEY, allowed ? '1' : '');
  }
  return { isOn, isBlocked, isSupported: isSupported(), change };
}

/** A notification that leads to its object. */
function NewsLine({ news, onOpen }: { readonly news: News; readonly onOpen: () => void }) {
  const page = pageOf(news);
  const text = (
    <span>
      {sentenceOf(news)}
      {!news.is_read && <span className={styles.hidden}> ({t(words.isUnread)})</span>}
    </span>
  );
  return (
    <li className={styles.line} data-unread={!news.is_read || undefined}>
      {page ? (
        <PageLink to={page} onClick={onOpen} c="inherit" fz="sm">
          {text}
        </PageLink>
      ) : (
        text
      )}
      <Text fz="xs" c="dimmed">
        <Moment date={news.date_created} />
      </Text>
    </li>
  );
}

/** The bell in the header: the number of unread notifications, and the newest in a panel. */
export function NotificationBell() {
  const [open, setOpen] = useState(false);
  const unread = useCount(notification, { is_read: 'false' }) ?? 0;
  const { data } = useLatest();
  const markRead = useMarkRead();
  const browser = useBrowserNotifications(data?.results);
  const latest = data?.results ?? [];
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
        <div className={styles.head}>
          <Text fw={600} fz="sm">
            {t(words.title)}
          </Text>
          <Button
            size="compact-sm"
            variant="subtle"
            disabled={unread === 0}
            onClick={() => void markRead().catch(() => undefined)}
          >
            {t(words.markAll)}
          </Button>
        </div>
        {latest.length === 0 ? (
          <Text fz="sm" c="dimmed" p="md">
            {t(words.none)}. {t(words.noneHint)}
          </Text>
        ) : (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
          <ul className={styles.list} tabIndex={0} aria-label={t(words.title)}>
            {latest.map((news) => (
              <NewsLine
                key={news.id}
                news={news}
                onOpen={() => {
                  setOpen(false);
                  if (!news.is_read) void markRead([news.id]).catch(() => undefined);
                }}
              />
            ))}
          </ul>
        )}
        <div className={styles.foot}>
          {browser.isSupported && (
            <Switch
              size="xs"
              label={t(words.onThisBrowser)}
              checked={browser.isOn}
              error={browser.isBlocked ? t(words.blocked) : undefined}
              onChange={(event) => void browser.change(event.currentTarget.checked)}
            />
          )}
          <PageLink to={NOTIFICATIONS} fz="sm" onClick={() => setOpen(false)}>
            {t(words.all)}
          </PageLink>
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}

import { Button, Switch, Text } from '@mantine/core';
import { t } from '../../../kit/i18n/index.ts';
import { PageLink } from '../../base/navigation.tsx';
import { Moment } from '../../resource/list/table/Moment.tsx';
import styles from './Notifications.module.css';
import { type News, NOTIFICATIONS, pageOf, useLatest, useMarkRead } from './notifications.ts';
import { sentenceOf } from './sentences.ts';
import { words } from './words.ts';

interface BrowserNotifications {
  readonly isOn: boolean;
  /** The user or the browser refused the permission. */
  readonly isBlocked: boolean;
  readonly isSupported: boolean;
  readonly change: (isOn: boolean) => Promise<void>;
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

interface NotificationPanelProps {
  readonly unread: number;
  readonly browser: BrowserNotifications;
  readonly onClose: () => void;
}

/** The newest notifications, and the choice to show new ones by the browser. */
export function NotificationPanel({ unread, browser, onClose }: NotificationPanelProps) {
  const { data } = useLatest();
  const markRead = useMarkRead();
  const latest = data?.results ?? [];
  return (
    <>
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
                onClose();
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
        <PageLink to={NOTIFICATIONS} fz="sm" onClick={onClose}>
          {t(words.all)}
        </PageLink>
      </div>
    </>
  );
}

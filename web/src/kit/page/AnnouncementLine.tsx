import { Anchor, CloseButton } from '@mantine/core';
import type { Announcement } from '@sallyport/contract';
import { common, t } from '../i18n/index.ts';
import { IconAlertTriangle, IconInfoCircle } from '../icons.ts';
import styles from './AnnouncementLine.module.css';
import { words } from './words.ts';

interface AnnouncementLineProps {
  readonly content: Pick<Announcement, 'text' | 'level' | 'link'>;
  readonly onClose?: (() => void) | undefined;
}

/** The line of an announcement. */
export function AnnouncementLine({ content, onClose }: AnnouncementLineProps) {
  const { text, level, link } = content;
  const Icon = level === 'info' ? IconInfoCircle : IconAlertTriangle;
  return (
    <aside className={`${styles.announcement} ${styles[level]}`} aria-label={t(words.announcement)}>
      <Icon size={16} aria-hidden="true" />
      <span className={styles.text}>
        {text}{' '}
        {link && (
          <Anchor href={link} target="_blank" rel="noopener noreferrer" inherit underline="always">
            {t(words.announcementMore)}
          </Anchor>
        )}
      </span>
      {onClose && (
        <CloseButton
          size="sm"
          c="inherit"
          variant="transparent"
          aria-label={`${t(common.close)}: ${t(words.announcement)}`}
          onClick={onClose}
        />
      )}
    </aside>
  );
}

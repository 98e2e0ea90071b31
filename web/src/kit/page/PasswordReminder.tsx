import { CloseButton } from '@mantine/core';
import { describePasswordEnd, type Profile } from '@sallyport/contract';
import type { ReactNode } from 'react';
import { common, language, t } from '../i18n/index.ts';
import { IconLock } from '../icons.ts';
import styles from './AnnouncementLine.module.css';
import { words } from './words.ts';

interface PasswordReminderProps {
  readonly profile: Pick<Profile, 'source' | 'password_days_left' | 'password_sign_ins_left'>;
  /** Renders the link to the page where a local password is changed. */
  readonly link: (text: string) => ReactNode;
  readonly onClose?: () => void;
}

/** Says that the password expires soon (`isPasswordEndSoon`), and where to change it. */
export function PasswordReminder({ profile, link, onClose }: PasswordReminderProps) {
  const { source, password_days_left: daysLeft, password_sign_ins_left: signInsLeft } = profile;
  const isLocal = source === 'local';
  const text = isLocal
    ? t(words.passwordEnds, { days: daysLeft ?? 0 })
    : describePasswordEnd({ daysLeft, signInsLeft }, language);
  return (
    <aside className={`${styles.announcement} ${styles.warning}`} aria-label={text}>
      <IconLock size={16} aria-hidden="true" />
      <span className={styles.text}>
        {text} {isLocal ? link(t(words.changePassword)) : t(words.changeAtSource)}
      </span>
      {onClose && (
        <CloseButton
          size="sm"
          c="inherit"
          variant="transparent"
          aria-label={`${t(common.close)}: ${text}`}
          onClick={onClose}
        />
      )}
    </aside>
  );
}

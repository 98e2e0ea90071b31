import { PASSWORD_REMINDER_DAYS } from '@sallyport/contract';
import { t } from '../../kit/i18n/index.ts';
import { IconLock } from '../../kit/icons.ts';
import { PageLink } from '../base/navigation.tsx';
import { words } from '../base/words.ts';
import { useProfile } from '../features/profile/useProfile.ts';
import styles from './Shell.module.css';

/** Warns users whose password expires soon, with a link to change it. */
export function PasswordReminder() {
  const { password_days_left: days } = useProfile();
  if (days === null || days > PASSWORD_REMINDER_DAYS) return null;
  return (
    <aside className={styles.notice} aria-label={t(words.passwordEnds, { days })}>
      <IconLock size={16} aria-hidden="true" /> {t(words.passwordEnds, { days })}{' '}
      <PageLink
        to="/users/profile"
        search={{ activeTab: 'PasswordUpdate' }}
        inherit
        underline="always"
      >
        {t(words.changePassword)}
      </PageLink>
    </aside>
  );
}

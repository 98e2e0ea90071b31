import { t } from '../../kit/i18n/index.ts';
import { releaseName, useSession } from '../base/session.tsx';
import { words } from '../base/words.ts';
import styles from './Shell.module.css';

/**
 * The bar at the bottom: versions of the program and of the API and, without a license, the GPLv2
 * note and the copyright line.
 */
export function Footer() {
  const { settings } = useSession();
  const licensed = settings.XPACK_LICENSE_IS_VALID;
  return (
    <footer className={styles.footer}>
      <span>{!licensed && t(words.copyright)}</span>
      <span>
        {t(words.release, { name: releaseName(settings), api: settings.VERSION })}{' '}
        {!licensed && 'GPLv2.'}
      </span>
    </footer>
  );
}

import { PRODUCT_VERSION } from '@sallyport/contract';
import { t } from '../../kit/i18n/index.ts';
import { useSession } from '../base/session.tsx';
import { words } from '../base/words.ts';
import styles from './Shell.module.css';

/** The bar at the bottom: version and, without a license, the GPLv2 note and the copyright line. */
export function Footer() {
  const { settings } = useSession();
  const licensed = settings.XPACK_LICENSE_IS_VALID;
  return (
    <footer className={styles.footer}>
      <span>{!licensed && t(words.copyright)}</span>
      <span>
        Version v{PRODUCT_VERSION} {!licensed && 'GPLv2.'}
      </span>
    </footer>
  );
}

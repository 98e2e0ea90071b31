import { t } from '../../../kit/i18n/index.ts';
import { IconArrowUpRight } from '../../../kit/icons.ts';
import { ObjectLink } from '../../resource/object/ObjectLink.tsx';
import styles from './OpenSession.module.css';
import { words } from './words.ts';

/** An icon that opens the page of a session. */
export function OpenSession({ id }: { readonly id: string }) {
  return (
    <ObjectLink resource="session" id={id}>
      <span className={styles.open} title={t(words.goto)} role="img" aria-label={t(words.goto)}>
        <IconArrowUpRight size={18} />
      </span>
    </ObjectLink>
  );
}

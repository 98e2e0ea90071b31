import type { AccessChange } from '@sallyport/contract';
import { formatDate } from '../format.ts';
import { t } from '../i18n/index.ts';
import styles from './AccessLines.module.css';
import { accessLines } from './access-lines.ts';
import { words } from './words.ts';

/** Lists access changes as sentences. */
export function AccessLines({
  access,
  from,
}: {
  readonly access: readonly AccessChange[];
  readonly from: string | null;
}) {
  return accessLines(access).map(({ key, text, names, takes }) => (
    <li key={key} className={takes ? styles.takes : styles.gives}>
      {from && `${t(words.from, { date: formatDate(from) })} `}
      {text}
      {names && <span className={styles.names}>{names}</span>}
    </li>
  ));
}

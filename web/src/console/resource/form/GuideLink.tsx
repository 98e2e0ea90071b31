import type { LocalText } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { IconHelp } from '../../../kit/icons.ts';
import { BASE_PATH, HELP } from '../../base/addresses.ts';
import styles from './Form.module.css';
import { words } from './words.ts';

interface GuideLinkProps {
  readonly label: string;
  /** Anchor in the operator guide, by language. */
  readonly place: LocalText;
}

/** Opens the operator guide at the explanation of a field, in a separate window: the form stays. */
export function GuideLink({ label, place }: GuideLinkProps) {
  const name = t(words.explain, { label });
  return (
    <a
      className={styles.guide}
      href={`${BASE_PATH}${HELP.docs}?guide=operator#${encodeURIComponent(t(place))}`}
      target="_blank"
      rel="noopener"
      aria-label={name}
      title={name}
    >
      <IconHelp size={15} />
    </a>
  );
}

import { assetUser, SECRET_STATES, type SecretState } from '@sallyport/contract';
import { formatNumber } from '../../../kit/format/format.ts';
import { t } from '../../../kit/i18n/index.ts';
import { PageLink } from '../../base/navigation.tsx';
import { pagesOf } from '../../base/resources.ts';
import { useCount } from '../../resource/useCount.ts';
import styles from './HealthStrip.module.css';
import { SECRET_WORDS } from './secret-words.ts';
import { words } from './words.ts';

/** The number of accounts in a state, as a link to them. */
function Part({ state }: { readonly state: SecretState }) {
  const count = useCount(assetUser, { latest: 1, secret: state });
  return (
    <PageLink
      to={pagesOf(assetUser.name).list}
      search={{ secret: state }}
      className={styles.part ?? ''}
    >
      <strong>{typeof count === 'number' ? formatNumber(count) : '–'}</strong>{' '}
      {t(SECRET_WORDS[state])}
    </PageLink>
  );
}

/** States of the secrets of all hosts. */
export function HealthStrip() {
  return (
    <nav className={styles.strip} aria-label={t(words.health)}>
      {SECRET_STATES.map((state) => (
        <Part key={state} state={state} />
      ))}
    </nav>
  );
}

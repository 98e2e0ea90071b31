import { useDebouncedValue } from '@mantine/hooks';
import type { Consequences, ConsequencesQuestion } from '@sallyport/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { AccessLines } from '../../../kit/access-change/AccessLines.tsx';
import { api } from '../../../kit/api.ts';
import { t } from '../../../kit/i18n/index.ts';
import styles from './Access.module.css';
import { words } from './words.ts';

/** Debounce of form changes in milliseconds. */
const PAUSE = 300;

/**
 * Shows the users who gain or lose access when the form is saved. Empty while there is no question.
 */
export function AccessPreview({
  question,
}: {
  readonly question: ConsequencesQuestion | undefined;
}) {
  const [asked] = useDebouncedValue(JSON.stringify(question ?? null), PAUSE);
  const { data: found } = useQuery({
    queryKey: ['what-if', asked],
    queryFn: ({ signal }) =>
      api.post<Consequences>('perms/consequences/', JSON.parse(asked), { signal, quiet: true }),
    enabled: asked !== 'null',
    placeholderData: keepPreviousData,
    staleTime: 0,
    retry: false,
  });
  if (!question || !found) return null;
  return (
    <section className={styles.preview} aria-label={t(words.whatIf)} aria-live="polite">
      <div className={styles.previewTitle}>{t(words.whatIf)}</div>
      {found.access.length === 0 ? (
        t(words.whatIfNothing)
      ) : (
        <ul className={styles.changes}>
          <AccessLines access={found.access} from={found.access_from} />
        </ul>
      )}
    </section>
  );
}

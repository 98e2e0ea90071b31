import { Button, Skeleton } from '@mantine/core';
import type { ConsequencesQuestion } from '@sallyport/contract';
import { useEffect } from 'react';
import { AccessLines } from '../access-change/AccessLines.tsx';
import { common, t } from '../i18n/index.ts';
import styles from './Consequences.module.css';
import { linesOf, namesOf } from './sentences.ts';
import { useConsequences } from './useConsequences.ts';
import { words } from './words.ts';

/** State of the confirm button according to the consequences. */
export interface Gate {
  readonly state: 'waiting' | 'open' | 'blocked';
  /** Text that the user must type to confirm. */
  readonly phrase: string | null;
}

interface ConsequencesBoxProps {
  readonly question: ConsequencesQuestion;
  readonly onGate: (gate: Gate) => void;
}

/** The consequences of an action, below its question. */
export function ConsequencesBox({ question, onGate }: ConsequencesBoxProps) {
  const [state, again] = useConsequences(question);
  useEffect(() => {
    if (state.phase === 'loading') onGate({ state: 'waiting', phrase: null });
    // If the consequences cannot be loaded, allow the action: ending a session in an emergency must
    // work. The server still decides.
    else if (state.phase === 'failed') onGate({ state: 'open', phrase: null });
    else
      onGate({
        state: state.answer.consequences.some(({ blocks }) => blocks) ? 'blocked' : 'open',
        phrase: state.answer.type_to_confirm,
      });
  }, [state, onGate]);

  return (
    <section
      className={styles.box}
      aria-label={t(words.title)}
      aria-live="polite"
      aria-busy={state.phase === 'loading'}
    >
      {state.phase === 'loading' && (
        <Skeleton height={18} width="70%" role="status" aria-label={t(words.loading)} />
      )}
      {state.phase === 'failed' && (
        <>
          {t(words.failed, { why: state.why })}{' '}
          <Button size="compact-xs" variant="subtle" onClick={again}>
            {t(common.retry)}
          </Button>
        </>
      )}
      {state.phase === 'known' && <Known question={question} answer={state.answer} />}
    </section>
  );
}

function Known({
  question,
  answer,
}: {
  readonly question: ConsequencesQuestion;
  readonly answer: Parameters<typeof linesOf>[1];
}) {
  const lines = linesOf(question, answer);
  const several = answer.objects.count > 1 && namesOf(answer.objects);
  return (
    <>
      {several && <p className={styles.objects}>{several}</p>}
      {lines.length === 0 && answer.access.length === 0 ? (
        t(words.nothing)
      ) : (
        <ul className={styles.list}>
          <AccessLines access={answer.access} from={answer.access_from} />
          {lines.map(({ key, text, names, blocks }) => (
            <li key={key}>
              <span className={blocks ? styles.blocks : undefined}>{text}</span>
              {names && <span className={styles.names}>{names}</span>}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

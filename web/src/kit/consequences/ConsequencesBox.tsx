import { Button, Skeleton } from '@mantine/core';
import type { Consequence, Consequences, ConsequencesQuestion } from '@sallyport/contract';
import { useEffect } from 'react';
import { AccessLines } from '../access-change/AccessLines.tsx';
import { common, t } from '../i18n/index.ts';
import styles from './Consequences.module.css';
import { useConsequences } from './useConsequences.ts';
import { SENTENCES, words } from './words.ts';

/** A sentence about a consequence, with the first few names. */
interface ConsequenceLine {
  readonly key: string;
  readonly text: string;
  readonly names: string;
  readonly blocks: boolean;
}

/** Joins the first names, with an ellipsis if there are more. */
function namesOf({ count, names }: Pick<Consequence, 'count' | 'names'>): string {
  const list = names.join(', ');
  return names.length > 0 && count > names.length ? t(words.more, { names: list }) : list;
}

const ACCESS = ['sign_ins_ended', 'sessions_cut', 'keys_refused'] as const;

/** Describes the consequences in sentences; the end of a user's access is one of them. */
function linesOf(
  { action, resource }: Pick<ConsequencesQuestion, 'action' | 'resource'>,
  { consequences }: Consequences,
): ConsequenceLine[] {
  const isOfAccess = ({ kind }: Consequence) => (ACCESS as readonly string[]).includes(kind);
  const joins = action === 'disable' && resource === 'user' && consequences.some(isOfAccess);
  const countOf = (wanted: string) => consequences.find(({ kind }) => kind === wanted)?.count ?? 0;
  const sessions = consequences.find(({ kind }) => kind === 'sessions_cut');
  return [
    ...(joins
      ? [
          {
            key: 'access',
            text: t(words.endsAccess, {
              signIns: countOf('sign_ins_ended'),
              sessions: countOf('sessions_cut'),
              keys: countOf('keys_refused'),
            }),
            names: sessions ? namesOf(sessions) : '',
            blocks: false,
          },
        ]
      : []),
    ...consequences
      .filter((one) => !(joins && isOfAccess(one)))
      .map((one) => ({
        key: one.kind,
        text: t(SENTENCES[one.kind], { count: one.count }),
        names: namesOf(one),
        blocks: one.blocks,
      })),
  ];
}

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
    // If the consequences cannot be loaded, allow the action: ending a session must
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

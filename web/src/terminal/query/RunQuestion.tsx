import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useAnswerPause } from '../../kit/dialogs/useAnswerPause.ts';
import { t } from '../../kit/i18n/index.ts';
import styles from './Query.module.css';
import type { QueryState } from './query-state.ts';
import { RowSampleTable } from './RowSampleTable.tsx';
import { words } from './words.ts';

/** Title and button of the question before a statement that affects every row. */
const ASKED = {
  update: { title: words.changeAllTitle, yes: words.changeAll },
  delete: { title: words.deleteAllTitle, yes: words.deleteAll },
  truncate: { title: words.deleteAllTitle, yes: words.deleteAll },
  drop: { title: words.dropTitle, yes: words.drop },
  flush: { title: words.flushTitle, yes: words.flush },
} as const;

type Question = NonNullable<QueryState['question']>;

function textsOf(question: Question | null) {
  if (question?.act) return ASKED[question.act];
  if (question?.preview) return { title: words.previewTitle, yes: words.yes };
  return {
    title: question?.preview === null ? words.noPreviewTitle : words.confirmTitle,
    yes: words.yes,
  };
}

interface RunQuestionProps {
  readonly state: Pick<QueryState, 'question' | 'autocommit' | 'transaction'>;
  readonly onAnswer: (yes: boolean, word?: string) => void;
}

/**
 * Asks before a statement runs. The focus is on the answer that runs nothing; after a warning, on
 * the button that runs it, so that Enter again is enough.
 */
export function RunQuestion({ state, onAnswer }: RunQuestionProps) {
  const { question, autocommit, transaction } = state;
  const texts = textsOf(question);
  const isPaused = useAnswerPause(question);
  const answer: typeof onAnswer = (...answered) => {
    if (!isPaused) onAnswer(...answered);
  };
  return (
    <Modal
      opened={question !== null}
      onClose={() => answer(false)}
      title={t(texts.title)}
      size={question?.preview ? 'xl' : 'md'}
    >
      {question ? (
        <QuestionForm
          key={question.message}
          question={question}
          yes={t(texts.yes)}
          isFinal={
            (question.act !== null || question.preview !== undefined) &&
            autocommit &&
            transaction === 'none'
          }
          isPaused={isPaused}
          onAnswer={answer}
        />
      ) : null}
    </Modal>
  );
}

function QuestionForm({
  question: { message, act, word, preview },
  yes,
  isFinal,
  isPaused,
  onAnswer,
}: Pick<RunQuestionProps, 'onAnswer'> & {
  readonly question: Question;
  readonly yes: string;
  readonly isFinal: boolean;
  readonly isPaused: boolean;
}) {
  const [typed, setTyped] = useState('');
  const isDanger = act !== null || preview !== undefined;
  const isWarning = !isDanger && word === null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onAnswer(true, word === null ? undefined : typed);
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text className={styles.question}>{message}</Text>
        {preview && preview.rows.length > 0 ? <RowSampleTable sample={preview} /> : null}
        {isFinal ? <Text fw={600}>{t(words.noRollback)}</Text> : null}
        {word === null ? null : (
          <TextInput
            label={t(words.typeWord, { word })}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            // Pasted text answers nothing: the user must read the word.
            onPaste={(event) => event.preventDefault()}
            autoComplete="off"
            spellCheck={false}
            data-autofocus
          />
        )}
        <Group justify="flex-end" gap="xs">
          <Button
            variant="default"
            data-autofocus={isDanger || undefined}
            aria-disabled={isPaused || undefined}
            onClick={() => onAnswer(false)}
          >
            {t(words.no)}
          </Button>
          <Button
            type="submit"
            data-autofocus={isWarning || undefined}
            aria-disabled={isPaused || undefined}
            {...(isDanger && { color: 'red' })}
            disabled={word !== null && typed.trim() !== word}
          >
            {yes}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

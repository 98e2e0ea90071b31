import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { t } from '../../kit/i18n/index.ts';
import styles from './Query.module.css';
import type { QueryState } from './query-state.ts';
import { words } from './words.ts';

/** Title and button of the question before a statement that affects every row. */
const ASKED = {
  update: { title: words.changeAllTitle, yes: words.changeAll },
  delete: { title: words.deleteAllTitle, yes: words.deleteAll },
  truncate: { title: words.deleteAllTitle, yes: words.deleteAll },
  drop: { title: words.dropTitle, yes: words.drop },
  flush: { title: words.flushTitle, yes: words.flush },
} as const;

interface Props {
  readonly state: Pick<QueryState, 'question' | 'autocommit' | 'transaction'>;
  readonly onAnswer: (yes: boolean) => void;
}

/** Asks before a statement runs. The focus is on the answer that runs nothing. */
export function RunQuestion({ state: { question, autocommit, transaction }, onAnswer }: Props) {
  const texts = question?.act ? ASKED[question.act] : { title: words.confirmTitle, yes: words.yes };
  const isFinal = question?.act && autocommit && transaction === 'none';
  return (
    <Modal opened={question !== null} onClose={() => onAnswer(false)} title={t(texts.title)}>
      <Stack>
        <Text className={styles.question}>{question?.message}</Text>
        {isFinal ? <Text fw={600}>{t(words.noRollback)}</Text> : null}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" data-autofocus onClick={() => onAnswer(false)}>
            {t(words.no)}
          </Button>
          <Button {...(question?.act && { color: 'red' })} onClick={() => onAnswer(true)}>
            {t(texts.yes)}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

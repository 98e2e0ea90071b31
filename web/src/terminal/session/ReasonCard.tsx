import { Button, Group, Textarea } from '@mantine/core';
import { APPROVAL_REASON_MAX } from '@sallyport/contract';
import { type FormEvent, useState } from 'react';
import { t } from '../../kit/i18n/index.ts';
import styles from './Cards.module.css';
import { words } from './words.ts';

interface Props {
  readonly hostname: string;
  readonly onAnswer: (reason: string) => void;
  readonly onCancel: () => void;
}

/** Asks why the user connects: reviewers decide on the connection. */
export function ReasonCard({ hostname, onAnswer, onCancel }: Props) {
  const [reason, setReason] = useState('');
  const [problem, setProblem] = useState<string>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // The server takes one line.
    const line = reason.replace(/\s+/g, ' ').trim();
    if (line === '') setProblem(t(words.reasonNeeded));
    else onAnswer(line);
  };
  return (
    <form className={styles.card} onSubmit={submit}>
      <h2 className={styles.title}>{t(words.reasonTitle, { host: hostname })}</h2>
      <p className={styles.hint}>{t(words.reasonHint)}</p>
      <Textarea
        label={t(words.reasonLabel)}
        value={reason}
        onChange={(event) => {
          setReason(event.currentTarget.value);
          setProblem(undefined);
        }}
        error={problem}
        maxLength={APPROVAL_REASON_MAX}
        autosize
        minRows={2}
        maxRows={5}
        autoFocus
      />
      <Group grow mt="md" gap="sm">
        <Button variant="default" onClick={onCancel}>
          {t(words.cancel)}
        </Button>
        <Button type="submit">{t(words.sendReason)}</Button>
      </Group>
    </form>
  );
}

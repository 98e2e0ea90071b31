import { Button, Group, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { t } from '../../kit/i18n/index.ts';
import styles from './Cards.module.css';
import { words } from './words.ts';

interface Props {
  readonly hostname: string;
  /** The last code was wrong. */
  readonly again: boolean;
  readonly onAnswer: (code: string) => void;
  readonly onCancel: () => void;
}

/** Asks for the second factor that the permission requires for this connection. */
export function FactorCard({ hostname, again, onAnswer, onCancel }: Props) {
  const [code, setCode] = useState('');
  const [problem, setProblem] = useState(again ? t(words.factorWrong) : undefined);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (code.trim() === '') setProblem(t(words.factorNeeded));
    else onAnswer(code.trim());
  };
  return (
    <form className={styles.card} onSubmit={submit} autoComplete="off">
      <h2 className={styles.title}>{t(words.factorTitle, { host: hostname })}</h2>
      <p className={styles.hint}>{t(words.factorHint)}</p>
      <Stack gap="sm">
        <TextInput
          label={t(words.factorCode)}
          value={code}
          onChange={(event) => {
            setCode(event.currentTarget.value);
            setProblem(undefined);
          }}
          error={problem}
          autoComplete="one-time-code"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={64}
          autoFocus
        />
      </Stack>
      <Group grow mt="md" gap="sm">
        <Button variant="default" onClick={onCancel}>
          {t(words.cancel)}
        </Button>
        <Button type="submit">{t(words.confirmFactor)}</Button>
      </Group>
    </form>
  );
}

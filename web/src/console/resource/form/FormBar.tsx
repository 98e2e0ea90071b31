import { Button, Group, Text } from '@mantine/core';
import type { LocalText } from '@sallyport/contract';
import { type ReactNode, useId } from 'react';
import { useConnection } from '../../../kit/connection/connection.ts';
import { words as connectionWords } from '../../../kit/connection/words.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import { byVerdict } from '../verdict.ts';
import styles from './Form.module.css';
import type { FormModel } from './useForm.ts';
import { words } from './words.ts';

interface FormBarProps {
  readonly form: FormModel;
  readonly submitText: LocalText;
  readonly onCancel: (() => void) | undefined;
  /** Saves and clears the form for the next object. */
  readonly onAddAnother: (() => void) | undefined;
  /** Summary in one line, above the buttons. */
  readonly line: ReactNode;
  readonly extra: ReactNode;
}

/** The buttons of a form, always in reach. */
export function FormBar({ form, submitText, onCancel, onAddAnother, line, extra }: FormBarProps) {
  const connection = useConnection();
  const waiting = useId();
  return (
    <div className={styles.bar}>
      {line}
      {connection.lost && (
        <Text id={waiting} fz="sm" c="dimmed" role="status" mr="auto">
          {t(connectionWords.cannotSave)}
        </Text>
      )}
      {extra}
      <Group gap={8} justify="flex-end" className={styles.buttons}>
        {onCancel && (
          <Button variant="subtle" color="gray" onClick={onCancel}>
            {t(common.cancel)}
          </Button>
        )}
        <Button
          variant="default"
          {...(onCancel && { className: styles.spare })}
          onClick={form.reset}
          disabled={!form.dirty || form.saving}
        >
          {t(words.reset)}
        </Button>
        {onAddAnother && (
          <Button
            variant="default"
            disabled={form.saving || connection.lost}
            onClick={onAddAnother}
          >
            {t(words.saveAndAdd)}
          </Button>
        )}
        <Button
          type="submit"
          loading={form.saving}
          disabled={connection.lost}
          aria-describedby={connection.lost ? waiting : undefined}
          {...(form.readOnly !== undefined && byVerdict(form.readOnly, () => undefined))}
        >
          {t(submitText)}
        </Button>
      </Group>
    </div>
  );
}

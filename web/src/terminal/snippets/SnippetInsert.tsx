import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState, useSyncExternalStore } from 'react';
import { common, t } from '../../kit/i18n/index.ts';
import { linesOf } from '../session/typed-input.ts';
import type { SessionTab } from '../tabs/session-tab.ts';
import styles from './Snippets.module.css';
import { insertionOf, placesOf, type Snippet } from './snippet-text.ts';
import { words } from './words.ts';

interface Props {
  readonly snippet: Snippet;
  readonly session: SessionTab | undefined;
  readonly onBack: () => void;
  readonly onDone: () => void;
}

const NOTHING = () => () => undefined;

/**
 * Fills in the placeholders of a snippet, shows the result, and pastes it. Only the button for
 * running presses Enter.
 */
export function SnippetInsert({ snippet, session, onBack, onDone }: Props) {
  const snapshot = useSyncExternalStore(session?.subscribe ?? NOTHING, () => session?.snapshot());
  const [values, setValues] = useState<ReadonlyMap<string, string>>(new Map());
  const places = placesOf(snippet.content);
  const text = insertionOf(
    snippet.content,
    new Map(places.map((name) => [name, values.get(name) ?? ''])),
  );
  const lines = linesOf(text).length;
  const isOpen = snapshot?.connection.phase === 'open';
  const insert = (pressesEnter: boolean) => {
    if (!session || !isOpen) return;
    session.view.paste(text);
    if (pressesEnter) session.view.typeText('\r');
    onDone();
  };
  return (
    <form
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        insert(false);
      }}
    >
      <Stack gap="sm">
        {places.map((name, index) => (
          <TextInput
            key={name}
            label={name}
            autoFocus={index === 0}
            autoComplete="off"
            spellCheck={false}
            maxLength={1024}
            value={values.get(name) ?? ''}
            onChange={(event) => setValues(new Map(values).set(name, event.currentTarget.value))}
          />
        ))}
        <div>
          <Text fz="sm" fw={500}>
            {t(words.preview)}
          </Text>
          <pre className={styles.preview}>{text}</pre>
          {lines > 1 && <Text fz="sm">{t(words.severalLines, { count: lines })}</Text>}
          {!isOpen && (
            <Text fz="sm" role="alert" c="var(--mantine-color-error)">
              {t(words.notOpen)}
            </Text>
          )}
        </div>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onBack}>
            {t(common.cancel)}
          </Button>
          <Button variant="default" disabled={!isOpen} onClick={() => insert(true)}>
            {t(words.insertAndRun)}
          </Button>
          <Button type="submit" disabled={!isOpen} autoFocus={places.length === 0}>
            {t(words.insert)}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

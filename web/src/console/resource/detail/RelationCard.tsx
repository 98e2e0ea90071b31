import { ActionIcon, Button, Group, Loader, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { common, t } from '../../../kit/i18n/index.ts';
import { IconMinus } from '../../../kit/icons.ts';
import { toast } from '../../../kit/toast.tsx';
import { RemoteSelect } from '../form/RemoteSelect.tsx';
import { words } from '../form/words.ts';
import { ObjectLink } from '../object/ObjectLink.tsx';
import type { Reference } from '../references.ts';
import { textOf } from '../source.ts';
import { useChosen } from '../useChosen.ts';
import { Card } from './Cards.tsx';
import styles from './Detail.module.css';
import { words as detailWords } from './words.ts';

export interface RelationCardProps {
  readonly title: string;
  readonly reference: Reference;
  /** The ids that are related now. */
  readonly value: readonly string[];
  /** Stores the whole new set. */
  readonly onChange: (value: readonly string[]) => Promise<unknown>;
  /** At least so many must stay. */
  readonly min?: number;
  /** False: those that are related are listed elsewhere on the page, so they are only added here. */
  readonly listed?: boolean;
}

const NONE: readonly string[] = [];
/** Rows that are read first, and how high each is: their places are kept, so that nothing below moves when they come. */
const SHOWN = 10;
const ROW_HEIGHT = 22;

/** What an object is related to: add some with a select, remove each with its minus. Ten are shown, more on demand. */
export function RelationCard({
  title,
  reference,
  value,
  onChange,
  min = 0,
  listed = true,
}: RelationCardProps) {
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [busy, setBusy] = useState('');
  const related = useChosen(reference, listed ? value : NONE);
  // What was removed goes at once, and not only when the rest is read again.
  const rows = related.rows
    .map((row) => ({ id: textOf(row, 'id'), label: reference.label(row) }))
    .filter(({ id }) => value.includes(id));

  async function store(key: string, next: readonly string[], success: string) {
    setBusy(key);
    try {
      await onChange(next);
      // What was chosen meanwhile stays chosen.
      setChosen((now) => now.filter((one) => !next.includes(one)));
      toast.success(success);
    } catch {
      // The request layer has shown the error; the card shows what is stored.
    } finally {
      setBusy('');
    }
  }

  return (
    <Card title={title}>
      <Stack className={styles.body} gap="sm">
        <RemoteSelect
          reference={reference}
          label={title}
          hasTitle
          multiple
          value={chosen}
          onChange={setChosen}
          exclude={value}
        />
        <Group justify="flex-end">
          <Button
            size="xs"
            disabled={chosen.length === 0}
            loading={busy === 'add'}
            onClick={() => void store('add', [...value, ...chosen], t(detailWords.addSuccess))}
          >
            {t(common.add)}
          </Button>
        </Group>
        {rows.map(({ id, label }) => (
          <Group key={id} justify="space-between" wrap="nowrap" gap="xs">
            <Text fz="sm" truncate title={label}>
              <ObjectLink resource={reference.resource} id={id}>
                {label}
              </ObjectLink>
            </Text>
            <ActionIcon
              size="sm"
              variant="light"
              color="red"
              disabled={value.length <= min}
              loading={busy === id}
              aria-label={t(words.removeItem, { name: label })}
              onClick={() =>
                void store(
                  id,
                  value.filter((one) => one !== id),
                  t(common.removeSuccess),
                )
              }
            >
              <IconMinus size={14} />
            </ActionIcon>
          </Group>
        ))}
        {listed &&
          related.loading &&
          rows.length === 0 &&
          value.slice(0, SHOWN).map((id, index) => (
            <Group key={id} h={ROW_HEIGHT}>
              {index === 0 && <Loader size={16} />}
            </Group>
          ))}
        {related.hasMore && (
          <Button size="xs" variant="subtle" loading={related.loading} onClick={related.loadMore}>
            {t(common.more)}
          </Button>
        )}
      </Stack>
    </Card>
  );
}

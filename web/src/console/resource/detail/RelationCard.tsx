import { ActionIcon, Button, Group, Loader, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { common, t } from '../../../kit/i18n/index.ts';
import { IconMinus } from '../../../kit/icons.ts';
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
  /** Ids of the related objects. */
  readonly value: readonly string[];
  /** Stores the complete new set. */
  readonly onChange: (value: readonly string[]) => Promise<unknown>;
  /** Minimum number of objects that must stay. */
  readonly min?: number;
  /** False if another part of the page lists the related objects; the card then only adds. */
  readonly listed?: boolean;
}

const NONE: readonly string[] = [];
/**
 * Rows shown first, and the height of a row in pixels. The card reserves their space to avoid
 * layout shift.
 */
const SHOWN = 10;
const ROW_HEIGHT = 22;

/**
 * Adds related objects with a select and removes each with a button. Shows ten; a button shows
 * more.
 */
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
  // Hide a removed row at once, before the list is read again.
  const rows = related.rows
    .map((row) => ({ id: textOf(row, 'id'), label: reference.label(row) }))
    .filter(({ id }) => value.includes(id));

  async function store(key: string, next: readonly string[], success: string) {
    setBusy(key);
    try {
      await onChange(next);
      // Keep objects that the user chose while the request was running.
      setChosen((now) => now.filter((one) => !next.includes(one)));
      toast.success(success);
    } catch {
      // The request layer has reported the error; the card shows the stored value.
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

import { ActionIcon, Button, Group, Loader, Stack, Text } from '@mantine/core';
import { type Page, SELECT_PAGE_SIZE } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../kit/api.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import { IconMinus } from '../../../kit/icons.ts';
import { toast } from '../../../kit/toast.tsx';
import { RemoteSelect } from '../form/RemoteSelect.tsx';
import { words } from '../form/words.ts';
import type { Reference } from '../references.ts';
import { cacheKey, listUrl, textOf } from '../source.ts';
import { Card } from './cards.tsx';
import styles from './Detail.module.css';

interface RelationCardProps {
  readonly title: string;
  readonly reference: Reference;
  /** The ids that are related now. */
  readonly value: readonly string[];
  /** Stores the whole new set. */
  readonly onChange: (value: readonly string[]) => Promise<unknown>;
  /** At least so many must stay. */
  readonly min?: number;
}

/** What an object is related to: add some with a select, remove each with its minus. Ten are shown, more on demand. */
export function RelationCard({ title, reference, value, onChange, min = 0 }: RelationCardProps) {
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [shown, setShown] = useState(SELECT_PAGE_SIZE);
  const [busy, setBusy] = useState('');
  const ids = value.slice(0, shown);
  const rows = useQuery({
    queryKey: [...cacheKey(reference), 'related', reference.query, ids],
    queryFn: ({ signal }) => api.get<Page<object>>(listUrl(reference), { query: { ...reference.query, ids, limit: ids.length }, signal }),
    enabled: ids.length > 0,
  });
  const labels = new Map((rows.data?.results ?? []).map((row) => [textOf(row, 'id'), reference.label(row)]));

  async function store(key: string, next: readonly string[], success: string) {
    setBusy(key);
    try {
      await onChange(next);
      setChosen([]);
      toast.success(success);
    } catch {
      // The request layer has told the person; the card shows what is stored.
    } finally {
      setBusy('');
    }
  }

  return (
    <Card title={title}>
      <Stack className={styles.body} gap="sm">
        <RemoteSelect reference={reference} label={title} multiple value={chosen} onChange={setChosen} exclude={value} />
        <Group justify="flex-end">
          <Button
            size="xs"
            disabled={chosen.length === 0}
            loading={busy === 'add'}
            onClick={() => void store('add', [...value, ...chosen], t(common.addSuccess))}
          >
            {t(common.add)}
          </Button>
        </Group>
        {ids.map((id) => (
          <Group key={id} justify="space-between" wrap="nowrap" gap="xs">
            <Text fz="sm" truncate>
              {labels.get(id) ?? <Loader size={12} />}
            </Text>
            <ActionIcon
              size="sm"
              variant="light"
              color="red"
              disabled={value.length <= min}
              loading={busy === id}
              aria-label={t(words.removeItem, { name: labels.get(id) ?? '' })}
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
        {value.length > shown && (
          <Button size="xs" variant="subtle" onClick={() => setShown(shown + SELECT_PAGE_SIZE)}>
            {t(common.more)}
          </Button>
        )}
      </Stack>
    </Card>
  );
}

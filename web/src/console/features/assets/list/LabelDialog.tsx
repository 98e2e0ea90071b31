import { Button, Group, Modal, Stack } from '@mantine/core';
import { asset, type Row } from '@sallyport/contract';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../../../../kit/api.ts';
import { toast } from '../../../../kit/dialogs/toast.tsx';
import { common, t } from '../../../../kit/i18n/index.ts';
import { RelationField } from '../../../resource/form/RelationField.tsx';
import { cacheKey, listUrl } from '../../../resource/source.ts';
import { words } from './words.ts';

export interface LabelDialogProps {
  readonly rows: readonly Row<typeof asset>[];
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Adds labels to the selected assets, which keep the labels they have. */
export function LabelDialog({ rows, onDone, onClose }: LabelDialogProps) {
  const client = useQueryClient();
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [saving, setSaving] = useState(false);

  async function save(event: FormEvent) {
    event.preventDefault();
    setSaving(true);
    try {
      const changes = rows.map(({ id, labels }) => ({
        id,
        labels: [...new Set([...labels, ...chosen])],
      }));
      await api.patch(listUrl(asset), changes);
      await client.invalidateQueries({ queryKey: cacheKey(asset) });
      toast.success(t(words.labeled));
      onDone();
      onClose();
    } catch {
      // The request layer has reported the error.
      setSaving(false);
    }
  }

  return (
    <Modal opened onClose={onClose} title={t(words.labelTitle, { count: rows.length })}>
      <form onSubmit={(event) => void save(event)} noValidate>
        <Stack>
          <RelationField
            name="labels"
            field={asset.fields.labels}
            label={t(asset.fields.labels.label)}
            required={false}
            disabled={saving}
            value={chosen}
            onChange={(value) => setChosen(value as readonly string[])}
            onBlur={() => undefined}
            updating={false}
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose} disabled={saving}>
              {t(common.cancel)}
            </Button>
            <Button type="submit" disabled={chosen.length === 0} loading={saving}>
              {t(words.labelAdd)}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

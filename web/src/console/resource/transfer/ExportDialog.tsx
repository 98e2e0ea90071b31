import { Button, Group, Modal, Radio, Stack } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ApiError } from '../../../kit/api.ts';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { download } from '../../../kit/download.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import { words as listWords } from '../list/words.ts';
import {
  type ExportFormat,
  type ExportRange,
  exportAddress,
  type ListExtent,
  possibleRanges,
} from './export-address.ts';
import { FileTypeChoice } from './FileTypeChoice.tsx';
import { words } from './words.ts';

const RANGES = [
  { range: 'all', label: words.exportAll },
  { range: 'selected', label: words.exportSelected },
  { range: 'filtered', label: words.exportFiltered },
] as const;

/** Dialog that asks which rows to export, as which file, and starts the download. */
export function ExportDialog({
  extent,
  onClose,
}: {
  readonly extent: ListExtent;
  readonly onClose: () => void;
}) {
  const possible = possibleRanges(extent);
  const [range, setRange] = useState<ExportRange>(
    possible.selected ? 'selected' : possible.filtered ? 'filtered' : 'all',
  );
  const [format, setFormat] = useState<ExportFormat>('csv');
  const [busy, setBusy] = useState(false);

  async function confirm(event: FormEvent) {
    event.preventDefault();
    setBusy(true);
    try {
      download(await exportAddress(extent, range, format));
      onClose();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      toast.error(t(words.getFailed), error.message);
      setBusy(false);
    }
  }

  return (
    <Modal opened onClose={onClose} title={`${t(listWords.export)}: ${t(extent.source.title)}`}>
      <form onSubmit={(event) => void confirm(event)}>
        <Stack>
          <Radio.Group
            label={t(words.exportRange)}
            value={range}
            onChange={(chosen) =>
              setRange(RANGES.find((one) => one.range === chosen)?.range ?? 'all')
            }
          >
            <Stack gap="xs" mt="xs">
              {RANGES.map((one) => (
                <Radio
                  key={one.range}
                  value={one.range}
                  label={t(one.label)}
                  disabled={!possible[one.range]}
                />
              ))}
            </Stack>
          </Radio.Group>
          <FileTypeChoice format={format} onChange={setFormat} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {t(common.cancel)}
            </Button>
            <Button type="submit" loading={busy}>
              {t(listWords.export)}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

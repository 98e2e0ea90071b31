import { Group, Radio } from '@mantine/core';
import { t } from '../../../kit/i18n/index.ts';
import type { ExportFormat } from './export-address.ts';
import { words } from './words.ts';

const FORMATS = [
  { format: 'csv', label: words.exportCsv },
  { format: 'xlsx', label: words.exportXlsx },
] as const;

/** Choice of the file type of an export. */
export function FileTypeChoice({
  format,
  onChange,
}: {
  readonly format: ExportFormat;
  readonly onChange: (format: ExportFormat) => void;
}) {
  return (
    <Radio.Group
      label={t(words.exportFormat)}
      value={format}
      onChange={(chosen) => onChange(FORMATS.find((one) => one.format === chosen)?.format ?? 'csv')}
    >
      <Group mt="xs">
        {FORMATS.map((one) => (
          <Radio key={one.format} value={one.format} label={t(one.label)} />
        ))}
      </Group>
    </Radio.Group>
  );
}

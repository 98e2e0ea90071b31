import { Button, type MantineSize } from '@mantine/core';
import { addressOf, type Query, timeZone } from '../../../kit/api.ts';
import { t } from '../../../kit/i18n/index.ts';
import { IconDownload } from '../../../kit/icons.ts';
import { words } from './words.ts';

const FILES = [
  { format: 'csv', label: words.saveCsv },
  { format: 'xlsx', label: words.saveXlsx },
] as const;

/** Links that save all rows of a list as a file, one for each file type. */
export function SaveButtons({
  path,
  query = {},
  size,
}: {
  /** API path of the list. */
  readonly path: string;
  /** Filters of the list. */
  readonly query?: Query;
  readonly size?: MantineSize;
}) {
  return FILES.map(({ format, label }) => (
    <Button
      key={format}
      variant="default"
      {...(size && { size })}
      leftSection={<IconDownload size={size === 'xs' ? 14 : 16} />}
      component="a"
      href={addressOf(path, { ...query, format, tz: timeZone() })}
      download
    >
      {t(label)}
    </Button>
  ));
}

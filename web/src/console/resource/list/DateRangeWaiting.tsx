import { Button } from '@mantine/core';
import { IconClock } from '../../../kit/icons.ts';
import { type DateRange, rangeText } from './dates.ts';

/** Placeholder of the time range button while its code loads; avoids layout shift. */
export function DateRangeWaiting(range: DateRange) {
  return (
    <Button
      variant="default"
      size="sm"
      fw={400}
      leftSection={<IconClock size={16} />}
      style={{ visibility: 'hidden' }}
      aria-hidden="true"
    >
      <span className="mono">{rangeText(range)}</span>
    </Button>
  );
}

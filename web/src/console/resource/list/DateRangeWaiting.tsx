import { Button } from '@mantine/core';
import { IconClock } from '../../../kit/icons.ts';
import { type DateRange, rangeText } from './dates.ts';

/** The place that the button of a time range takes, until it comes: nothing beside it moves then. */
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

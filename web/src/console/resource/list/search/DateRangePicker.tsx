import { Button, Group, Popover, Stack, VisuallyHidden } from '@mantine/core';
import { Fragment, useState } from 'react';
import { common, t } from '../../../../kit/i18n/index.ts';
import { IconClock } from '../../../../kit/icons.ts';
import { lazyComponent } from '../../../../kit/lazy-component.tsx';
import styles from '../List.module.css';
import { words } from '../words.ts';
import { type DateRange, lastDays, rangeDays, SHORTCUTS } from './dates.ts';

const DateTimeField = lazyComponent(() =>
  import('../../form/DateTimeField.tsx').then((module) => module.DateTimeField),
);

interface DateRangePickerProps extends DateRange {
  readonly onChange: (range: DateRange) => void;
}

/**
 * The time range of a list: four shortcuts, or two dates. Applies a change only when both dates are
 * valid.
 */
export function DateRangePicker({ dateFrom, dateTo, onChange }: DateRangePickerProps) {
  const [open, setOpen] = useState(false);
  const [from, setFrom] = useState(dateFrom);
  const [to, setTo] = useState(dateTo);
  const valid = from !== '' && to !== '' && Date.parse(from) <= Date.parse(to);

  function choose(range: DateRange) {
    setOpen(false);
    onChange(range);
  }

  return (
    <Popover
      opened={open}
      onChange={setOpen}
      position="bottom-end"
      trapFocus
      withinPortal
      shadow="md"
    >
      <Popover.Target>
        <Button
          variant="default"
          size="sm"
          fw={400}
          className={styles.dates ?? ''}
          leftSection={<IconClock size={16} />}
          onClick={() => {
            setFrom(dateFrom);
            setTo(dateTo);
            setOpen(!open);
          }}
        >
          <VisuallyHidden>{t(words.dateRange)}: </VisuallyHidden>
          <span className="mono">
            {rangeDays({ dateFrom, dateTo }).map(({ year, day }, index) => (
              <Fragment key={index === 0 ? 'from' : 'to'}>
                {index > 0 && ' – '}
                <span className={styles.year}>{year}</span>
                {day}
              </Fragment>
            ))}
          </span>
        </Button>
      </Popover.Target>
      <Popover.Dropdown maw="calc(100vw - 24px)">
        <Stack gap="sm">
          <Group gap={4}>
            {SHORTCUTS.map(({ label, days }) => (
              <Button
                key={days}
                size="compact-sm"
                variant="light"
                onClick={() => choose(lastDays(days))}
              >
                {t(label)}
              </Button>
            ))}
          </Group>
          <div className={styles.ends}>
            <DateTimeField
              label={t(words.dateFrom)}
              value={from}
              onChange={setFrom}
              time="00:00:01"
              inPopover
            />
            <DateTimeField
              label={t(words.dateTo)}
              value={to}
              onChange={setTo}
              time="23:59:59"
              inPopover
            />
          </div>
          <Group justify="flex-end" gap="xs">
            <Button variant="default" size="xs" onClick={() => setOpen(false)}>
              {t(common.cancel)}
            </Button>
            <Button
              size="xs"
              disabled={!valid}
              onClick={() => choose({ dateFrom: from, dateTo: to })}
            >
              {t(words.apply)}
            </Button>
          </Group>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

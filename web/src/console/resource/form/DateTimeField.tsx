import { isEnter } from '../../../kit/composing.ts';
import 'dayjs/locale/zh-cn';
import '@mantine/dates/styles.layer.css';
import { ActionIcon, Button, CloseButton, Group, Popover, Stack, TextInput } from '@mantine/core';
import { DatePicker, DatesProvider, TimeInput } from '@mantine/dates';
import { type LocalText, parseDatetime } from '@sallyport/contract';
import { useState } from 'react';
import { isWithoutEnd, withoutEnd } from '../../../kit/format/format.ts';
import { formatRelative, formatWeekday } from '../../../kit/format/relative-time.ts';
import { later, readTypedDate } from '../../../kit/format/typed-date.ts';
import { common, language, t } from '../../../kit/i18n/index.ts';
import { IconCalendar } from '../../../kit/icons.ts';
import { words } from './words.ts';

/** Common access durations, counted from the moment of the choice. */
export const DATE_PRESETS: readonly {
  readonly label: LocalText;
  readonly from: (now: Date) => Date;
}[] = [
  { label: { zh: '1 小时', en: '1 hour' }, from: (now) => later(now, 1, 'hours') },
  { label: { zh: '8 小时', en: '8 hours' }, from: (now) => later(now, 8, 'hours') },
  { label: { zh: '1 天', en: '1 day' }, from: (now) => later(now, 1, 'days') },
  { label: { zh: '1 周', en: '1 week' }, from: (now) => later(now, 1, 'weeks') },
  { label: { zh: '30 天', en: '30 days' }, from: (now) => later(now, 30, 'days') },
  { label: { zh: '3 个月', en: '3 months' }, from: (now) => later(now, 3, 'months') },
];

interface DateTimeFieldProps {
  readonly label: string;
  /**
   * A date in server format or ISO; empty for none. Text that is no date stays for the form to
   * reject.
   */
  readonly value: string;
  /** Receives an ISO date, an empty string, or text that is no date. */
  readonly onChange: (value: string) => void;
  readonly description?: string | undefined;
  readonly error?: string | undefined;
  readonly required?: boolean;
  readonly disabled?: boolean;
  /** Time of day for a typed day without a time. */
  readonly time?: string;
  /** The date is an end: offers common durations and, unless `mustEnd`, no end. */
  readonly isEnd?: boolean;
  /** Requires an end and hides *Never*. */
  readonly mustEnd?: boolean;
  /** Set inside a popover that closes on an outside click. */
  readonly inPopover?: boolean;
}

const MIDNIGHT = '00:00:00';
const SETTINGS = { locale: language === 'zh' ? 'zh-cn' : 'en', firstDayOfWeek: 1 as const };
const pad = (number: number) => String(number).padStart(2, '0');
const dayOf = (date: Date) =>
  `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
const timeOf = (date: Date) =>
  `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`;

function momentOf(value: string): Date | undefined {
  const date = value ? parseDatetime(value) : undefined;
  return date && !Number.isNaN(date.getTime()) ? date : undefined;
}

type DateText = ReturnType<typeof useDateText>;

/** Holds the text of a date while the user types it. */
function useDateText({ value, onChange, time = MIDNIGHT, isEnd }: DateTimeFieldProps) {
  const [draft, setDraft] = useState<string>();
  const now = new Date();
  const typed =
    draft === undefined || draft.trim() === '' ? undefined : readTypedDate(draft, now, time);
  const moment = draft === undefined ? momentOf(value) : typed;
  const isNever = Boolean(isEnd) && isWithoutEnd(value);
  const isUnknown = draft !== undefined && draft.trim() !== '' && !typed;
  // Open the calendar at the current month if the date is the far end that means *Never*.
  const picked = moment && !isWithoutEnd(moment.toISOString()) ? moment : undefined;
  const meaning = picked
    ? `${formatWeekday(picked)} ${dayOf(picked)} ${timeOf(picked).slice(0, 5)} · ${formatRelative(picked, now)}`
    : '';
  const put = (next: string) => {
    setDraft(undefined);
    onChange(next);
  };
  return {
    now,
    draft,
    setDraft,
    isNever,
    picked,
    /** The date as text, while the user does not type. */
    written: isNever ? t(common.never) : moment ? `${dayOf(moment)} ${timeOf(moment)}` : value,
    hint: isUnknown ? t(words.dateExamples) : meaning,
    commit() {
      if (draft !== undefined) put(typed ? typed.toISOString() : draft.trim());
    },
    choose: (date: Date) => put(date.toISOString()),
    clear: () => put(''),
  };
}

/** A date: typed as text, picked from a calendar, or chosen from common durations. */
export function DateTimeField(field: DateTimeFieldProps) {
  const { label, description, error, required = false, disabled = false } = field;
  const date = useDateText(field);
  const { written, hint, commit } = date;
  const canClear = !required && written !== '' && !disabled;
  return (
    <DatesProvider settings={SETTINGS}>
      <Stack gap={6}>
        <TextInput
          label={label}
          description={[description, hint].filter(Boolean).join(' · ') || undefined}
          error={error}
          withAsterisk={required}
          disabled={disabled}
          autoComplete="off"
          placeholder={t(words.dateExamples)}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          value={date.draft ?? written}
          onChange={(event) => date.setDraft(event.currentTarget.value)}
          onBlur={commit}
          onKeyDown={(event) => isEnter(event) && commit()}
          rightSectionWidth={canClear ? 64 : 36}
          rightSection={
            <Group gap={0} wrap="nowrap">
              {canClear && (
                <CloseButton
                  size="sm"
                  aria-label={`${t(words.clear)} ${label}`}
                  onClick={date.clear}
                />
              )}
              <Calendar field={field} date={date} />
            </Group>
          }
        />
        {field.isEnd && !disabled && <UsualLengths date={date} canBeNever={!field.mustEnd} />}
      </Stack>
    </DatesProvider>
  );
}

interface CalendarProps {
  readonly field: DateTimeFieldProps;
  readonly date: DateText;
}

/** A button that opens a calendar and the time of day. */
function Calendar({
  field: { label, disabled, time = MIDNIGHT, inPopover },
  date: { now, picked, choose },
}: CalendarProps) {
  const [open, setOpen] = useState(false);
  return (
    <Popover
      opened={open}
      onChange={setOpen}
      position="bottom-end"
      shadow="md"
      trapFocus
      returnFocus
      withinPortal={!inPopover}
    >
      <Popover.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          size={28}
          disabled={disabled ?? false}
          aria-label={`${t(words.pickDate)}: ${label}`}
          onClick={() => setOpen(!open)}
        >
          <IconCalendar size={16} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs">
          <DatePicker
            highlightToday
            value={picked ? dayOf(picked) : null}
            defaultDate={dayOf(picked ?? now)}
            onChange={(day) => day && choose(new Date(`${day}T${picked ? timeOf(picked) : time}`))}
          />
          <Group gap="xs" justify="space-between">
            <TimeInput
              aria-label={t(words.timeOfDay)}
              withSeconds
              value={picked ? timeOf(picked) : time}
              onChange={(event) => {
                const chosen = readTypedDate(
                  `${dayOf(picked ?? now)} ${event.currentTarget.value}`,
                  now,
                );
                if (chosen && event.currentTarget.value) choose(chosen);
              }}
            />
            <Button size="xs" onClick={() => setOpen(false)}>
              {t(common.confirm)}
            </Button>
          </Group>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

/** Buttons for common durations and no end. */
function UsualLengths({
  date: { isNever, choose },
  canBeNever,
}: {
  readonly date: DateText;
  readonly canBeNever: boolean;
}) {
  const button = { size: 'compact-xs', h: 24, variant: 'default', fw: 400 } as const;
  return (
    <Group gap={4} role="group" aria-label={t(words.usualLengths)}>
      {DATE_PRESETS.map(({ label, from }) => (
        <Button key={label.en} {...button} onClick={() => choose(from(new Date()))}>
          {t(label)}
        </Button>
      ))}
      {canBeNever && (
        <Button {...button} aria-pressed={isNever} onClick={() => choose(withoutEnd())}>
          {t(common.never)}
        </Button>
      )}
    </Group>
  );
}

import { Button, Group, Input } from '@mantine/core';
import { WEEKDAYS } from '@sallyport/contract';
import { type KeyboardEvent, useRef, useState } from 'react';
import { language, t } from '../../../kit/i18n/index.ts';
import { TagsField } from '../../../kit/TagsField.tsx';
import { asTexts } from '../../resource/form/input-props.ts';
import type { WidgetProps } from '../../resource/form/spec.ts';
import { useBreakpoints } from '../useBreakpoints.ts';
import styles from './WeekField.module.css';
import { coverageOf, type WeekHour, withHours } from './week-grid.ts';
import { words } from './words.ts';

const DAYS = WEEKDAYS.map((_, day) => day);
const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
const OFFICE = ['Mon-Fri 08:00-18:00'];

/** 1 January 2024 was a Monday. */
const dayName = (day: number, weekday: 'short' | 'long') =>
  new Intl.DateTimeFormat(language === 'zh' ? 'zh-CN' : 'en', { weekday, timeZone: 'UTC' }).format(
    Date.UTC(2024, 0, 1 + day),
  );
const clock = (hour: number) => `${String(hour).padStart(2, '0')}:00`;

const STEPS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
};

interface GridProps {
  readonly label: string;
  readonly texts: readonly string[];
  readonly disabled: boolean;
  readonly onPaint: (hours: readonly WeekHour[], isOn: boolean) => void;
}

/**
 * Grid of a week: a button for each hour. Arrow keys move, Space changes the hour, and Shift with
 * an arrow copies it to the next one. Phones show the days as columns.
 */
function WeekGrid({ label, texts, disabled, onPaint }: GridProps) {
  const { phone } = useBreakpoints();
  const table = useRef<HTMLTableElement>(null);
  const [current, setCurrent] = useState<WeekHour>({ day: 0, hour: 8 });
  // A pressed pointer paints this value on the hours that it enters.
  const painting = useRef<boolean>(undefined);
  const week = coverageOf(texts);
  const isOn = ({ day, hour }: WeekHour) => week[day]?.[hour] === 'all';

  const onKeyDown = (event: KeyboardEvent, from: WeekHour) => {
    const [down, right] = STEPS[event.key] ?? [0, 0];
    if (down === 0 && right === 0) return;
    event.preventDefault();
    const [days, hours] = phone ? [right, down] : [down, right];
    const next = { day: (from.day + days + 7) % 7, hour: (from.hour + hours + 24) % 24 };
    if (event.shiftKey) onPaint([next], isOn(from));
    setCurrent(next);
    table.current
      ?.querySelector<HTMLButtonElement>(`[data-hour="${next.day} ${next.hour}"]`)
      ?.focus();
  };

  const cell = (at: WeekHour) => (
    <td key={`${at.day} ${at.hour}`}>
      <button
        type="button"
        className={styles.hour}
        data-hour={`${at.day} ${at.hour}`}
        data-coverage={week[at.day]?.[at.hour]}
        aria-pressed={week[at.day]?.[at.hour] === 'some' ? 'mixed' : isOn(at)}
        aria-label={`${dayName(at.day, 'long')} ${clock(at.hour)}–${clock(at.hour + 1)}`}
        tabIndex={at.day === current.day && at.hour === current.hour ? 0 : -1}
        disabled={disabled}
        onFocus={() => setCurrent(at)}
        onKeyDown={(event) => onKeyDown(event, at)}
        // Keys and screen readers click without a pointer.
        onClick={(event) => event.detail === 0 && onPaint([at], !isOn(at))}
        onPointerDown={(event) => {
          event.currentTarget.releasePointerCapture(event.pointerId);
          painting.current = !isOn(at);
          onPaint([at], painting.current);
        }}
        onPointerEnter={(event) => {
          if (event.buttons === 0 || event.pointerType === 'touch') painting.current = undefined;
          else if (painting.current !== undefined) onPaint([at], painting.current);
        }}
      />
    </td>
  );
  const dayHead = (day: number, scope: 'row' | 'col') => (
    <th key={`day ${day}`} scope={scope}>
      {dayName(day, 'short')}
    </th>
  );
  const hourHead = (hour: number, scope: 'row' | 'col') => (
    <th key={`hour ${hour}`} scope={scope}>
      {hour}
    </th>
  );
  return (
    <div className={styles.scroll}>
      <table ref={table} className={styles.week} aria-label={label} data-phone={phone || undefined}>
        <thead>
          <tr>
            <td />
            {phone
              ? DAYS.map((day) => dayHead(day, 'col'))
              : HOURS.map((hour) => hourHead(hour, 'col'))}
          </tr>
        </thead>
        <tbody>
          {phone
            ? HOURS.map((hour) => (
                <tr key={hour}>
                  {hourHead(hour, 'row')}
                  {DAYS.map((day) => cell({ day, hour }))}
                </tr>
              ))
            : DAYS.map((day) => (
                <tr key={day}>
                  {dayHead(day, 'row')}
                  {HOURS.map((hour) => cell({ day, hour }))}
                </tr>
              ))}
        </tbody>
      </table>
    </div>
  );
}

/** Chooses weekdays and hours in a grid, and exact minutes as text. */
export function WeekField({
  name,
  label,
  help,
  error,
  disabled,
  value,
  onChange,
  onBlur,
}: WidgetProps) {
  const texts = asTexts(value);
  return (
    <Input.Wrapper label={label} labelElement="div">
      <WeekGrid
        label={label}
        texts={texts}
        disabled={disabled}
        onPaint={(hours, isOn) => onChange(withHours(texts, hours, isOn))}
      />
      <Group gap="xs" my="xs">
        <Button
          size="compact-sm"
          variant="default"
          disabled={disabled}
          onClick={() => onChange(OFFICE)}
        >
          {t(words.officeHours)}
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          disabled={disabled || texts.length === 0}
          onClick={() => onChange([])}
        >
          {t(words.noHours)}
        </Button>
      </Group>
      <TagsField
        name={name}
        label={t(words.exactHours)}
        description={help}
        error={error}
        disabled={disabled}
        value={texts}
        splitChars={[',', ';']}
        acceptValueOnBlur
        onChange={onChange}
        onBlur={onBlur}
      />
    </Input.Wrapper>
  );
}

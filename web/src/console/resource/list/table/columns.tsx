import {
  choicesOf,
  type Field,
  type FieldOf,
  type LocalText,
  say,
  shapeOf,
} from '@sallyport/contract';
import type { ReactNode } from 'react';
import { formatNumber } from '../../../../kit/format/format.ts';
import { common, language, t } from '../../../../kit/i18n/index.ts';
import { IconCircleCheck, IconCircleX } from '../../../../kit/icons.ts';
import { textOf } from '../../source.ts';
import { Marked } from '../search/Marked.tsx';
import { Moment } from './Moment.tsx';
import { State } from './State.tsx';

interface ColumnLooks<T> {
  readonly width?: number;
  readonly align?: 'left' | 'center' | 'right';
  /** Hidden until the user chooses it. */
  readonly hidden?: boolean;
  /** Stays visible without room for all columns. */
  readonly essential?: boolean;
  readonly mono?: boolean;
  /** False disables sorting by a sortable field. */
  readonly order?: boolean;
  /** Drawn over the end of the cell, outside its link, such as a button for the row. */
  readonly after?: (row: T) => ReactNode;
  /**
   * Returns true if the cell carries no information. If all cells do, only users who chose the
   * column see it.
   */
  readonly quiet?: (row: T) => boolean;
}

/** A column for a field of the rows; label, sorting and cell default to those of the field. */
interface FieldColumn<T> extends ColumnLooks<T> {
  readonly name: keyof T & string;
  readonly label?: LocalText;
  readonly cell?: (row: T) => ReactNode;
}

/** A column with its own cell function. */
interface OwnColumn<T> extends ColumnLooks<T> {
  readonly name: string;
  readonly label: LocalText;
  readonly cell: (row: T) => ReactNode;
}

export type Column<T> = FieldColumn<T> | OwnColumn<T>;

interface YesNoProps {
  readonly value: boolean;
  readonly yes?: string;
  readonly no?: string;
  /** The desired value; the other one is highlighted. */
  readonly good?: boolean;
}

/** A boolean as icon, color and word; the word serves users who see neither icon nor color. */
export function YesNo({ value, yes = t(common.yes), no = t(common.no), good = true }: YesNoProps) {
  const Icon = value === good ? IconCircleCheck : IconCircleX;
  return (
    <span
      style={{
        display: 'inline-flex',
        gap: 4,
        alignItems: 'center',
        verticalAlign: 'middle',
        color: `var(--mantine-color-${value === good ? 'green' : 'red'}-text)`,
        whiteSpace: 'nowrap',
      }}
    >
      <Icon size={16} aria-hidden="true" /> {value ? yes : no}
    </span>
  );
}

/** Returns the label of a choice. */
export function choiceText(field: Field | undefined, value: unknown): string {
  const choice = choicesOf(field)?.find((one) => one.value === value);
  return choice ? say(choice.label, language) : textOf({ value }, 'value');
}

/** Joins the labels and values of the members that have a value. */
function membersText({ fields }: FieldOf<'object'>, value: object): string {
  const members = value as Readonly<Record<string, unknown>>;
  const texts = Object.entries(fields).flatMap(([name, field]) => {
    const member = members[name];
    if (member === undefined || member === null || member === '') return [];
    const text =
      typeof member === 'boolean' ? t(member ? common.yes : common.no) : choiceText(field, member);
    return [`${say(field.label, language)}: ${text}`];
  });
  return texts.join('; ');
}

/**
 * Returns a cell with the full date, for lists whose users compare dates; hover shows the relative
 * time.
 */
export const exactMoment =
  <Name extends string>(name: Name) =>
  (row: Readonly<Record<Name, string | null>>): ReactNode => {
    const date = row[name];
    return date ? <Moment date={date} exact /> : null;
  };

/** Draws a value by the kind of its field. */
export function defaultCell(row: object, name: string, field: Field | undefined): ReactNode {
  const value = (row as Readonly<Record<string, unknown>>)[name];
  const display = textOf(row, `${name}_display`);
  // Draw `is_active` as a state: an active row whose end has passed is not in force.
  if (typeof value === 'boolean') {
    if (name === 'is_active')
      return (
        <State
          of={{
            is_active: value,
            date_start: textOf(row, 'date_start'),
            date_expired: textOf(row, 'date_expired'),
          }}
        />
      );
    // A green "No" reads like a mistake: only the value that needs care is marked.
    return field?.yesMeans === 'neither' || (field?.yesMeans === 'care' && !value) ? (
      t(value ? common.yes : common.no)
    ) : (
      <YesNo value={value} good={field?.yesMeans !== 'care'} />
    );
  }
  // The server writes a dash for some unknown values; an empty cell says the same in silence.
  if (value === null || value === undefined || value === '' || value === '-') return null;
  if (display) return display;
  if (field?.kind === 'choice') return choiceText(field, value);
  if (field && shapeOf(field) === 'datetime') return <Moment date={String(value)} />;
  if (Array.isArray(value))
    return field?.kind === 'many' ? formatNumber(value.length) : value.join(', ');
  if (typeof value === 'number')
    return field?.kind === 'integer' && field.isPlain ? String(value) : formatNumber(value);
  if (field?.kind === 'object') return membersText(field, Object(value));
  const isSearched = field?.kind === 'text' && field.search;
  return isSearched ? <Marked text={String(value)} /> : String(value);
}

/** Default column widths in pixels (conformance 9.17). */
const WIDTHS: Readonly<Partial<Record<string, number>>> = { boolean: 80, datetime: 160 };

/** Returns the width that a column keeps while the table has room (conformance 9.17). */
export const keptWidth = (
  { width }: Pick<ColumnLooks<object>, 'width'>,
  field: Field | undefined,
) => (width || !field ? undefined : WIDTHS[shapeOf(field)]);

/** Returns the width of a column that the user did not choose; undefined if it takes a share. */
export function widthOf(
  column: Pick<Column<object>, 'width' | 'name'>,
  field: Field | undefined,
): number | undefined {
  return column.width || keptWidth(column, field);
}

import { type Field, type LocalText, say } from '@sallyport/contract';
import type { ReactNode } from 'react';
import { formatDate, formatNumber } from '../../../kit/format.ts';
import { common, language, t } from '../../../kit/i18n/index.ts';
import { IconCircleCheck, IconCircleX } from '../../../kit/icons.ts';
import { textOf } from '../source.ts';

/** One column. Label, order and cell follow from the field of the same name unless given. */
export interface Column<T> {
  readonly name: string;
  readonly label?: LocalText;
  readonly cell?: (row: T) => ReactNode;
  readonly width?: number;
  readonly align?: 'left' | 'center' | 'right';
  /** Not shown until the person asks for it. */
  readonly hidden?: boolean;
  /** Stays when there is no room for all: without it the list would not say what it is for. */
  readonly essential?: boolean;
  readonly mono?: boolean;
  /** False: not sortable although the field is. */
  readonly order?: boolean;
}

/** A yes or no as shape, colour and word: the word is for those who see neither. */
export function YesNo({ value, yes = t(common.yes), no = t(common.no) }: { readonly value: boolean; readonly yes?: string; readonly no?: string }) {
  const Icon = value ? IconCircleCheck : IconCircleX;
  return (
    <span
      style={{
        display: 'inline-flex',
        gap: 4,
        alignItems: 'center',
        verticalAlign: 'middle',
        color: `var(--mantine-color-${value ? 'green' : 'red'}-text)`,
        whiteSpace: 'nowrap',
      }}
    >
      <Icon size={16} aria-hidden="true" /> {value ? yes : no}
    </span>
  );
}

/** A moment of the server. Where there is no room for one line, day and time stand below each other; neither is ever broken. */
export function Moment({ date }: { readonly date: string }) {
  const [day = '', time = ''] = formatDate(date).split(' ');
  return (
    <span className="mono">
      <span style={{ whiteSpace: 'nowrap' }}>{day}</span> <span style={{ whiteSpace: 'nowrap' }}>{time}</span>
    </span>
  );
}

/** The words of a choice's value. */
export function choiceText(field: Field | undefined, value: unknown): string {
  const choice = field?.choices?.find((one) => one.value === value);
  return choice ? say(choice.label, language) : textOf({ value }, 'value');
}

/** Draws the value of a field as its kind asks. */
export function defaultCell(row: object, name: string, field: Field | undefined): ReactNode {
  const value = (row as Readonly<Record<string, unknown>>)[name];
  const display = textOf(row, `${name}_display`);
  if (typeof value === 'boolean') return <YesNo value={value} />;
  if (value === null || value === undefined || value === '') return <span style={{ color: 'var(--mantine-color-dimmed)' }}>-</span>;
  if (display) return display;
  if (field?.kind === 'choice') return choiceText(field, value);
  if (field?.kind === 'datetime' || field?.computedType === 'datetime') return <Moment date={String(value)} />;
  if (Array.isArray(value)) return field?.kind === 'many' ? formatNumber(value.length) : value.join(', ');
  if (typeof value === 'number') return formatNumber(value);
  return String(value);
}

/** The widths that specification §9 gives, in pixels. */
const WIDTHS: Readonly<Partial<Record<string, number>>> = { boolean: 80, datetime: 160 };

/** The width a column takes when it names none (specification §9). */
export function widthOf(column: Pick<Column<object>, 'width' | 'name'>, field: Field | undefined): number | undefined {
  if (column.width) return column.width;
  if (column.name === 'is_valid') return WIDTHS.boolean;
  return field && WIDTHS[field.computedType ?? field.kind];
}

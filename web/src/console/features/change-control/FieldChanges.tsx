import { Table } from '@mantine/core';
import {
  type Field,
  type LocalText,
  type PlannedChangeView,
  SELECT_PAGE_SIZE,
  targetOf,
} from '@sallyport/contract';
import { Fragment } from 'react';
import { CONTROLLED } from '../../../kit/change-control/controlled.ts';
import { t } from '../../../kit/i18n/index.ts';
import { isBlank } from '../../resource/form/form-state.ts';
import { ValueText } from '../../resource/form/ValueText.tsx';
import styles from './ChangeSets.module.css';
import { words } from './words.ts';

/** Maximum names of a list that a decision spells out; the rest is a number. */
const MOST_NAMES = 100;

function Value({ field, value }: { readonly field: Field | undefined; readonly value: unknown }) {
  if (isBlank(value)) return '-';
  // A summary says only that such a value is set; a decision needs the value.
  if (!field || field.kind === 'json' || field.kind === 'object')
    return <code>{JSON.stringify(value)}</code>;
  return <ValueText field={field} value={value} maxNames={SELECT_PAGE_SIZE} />;
}

/** The names of many objects, read page by page. */
function Names({ field, ids }: { readonly field: Field; readonly ids: readonly unknown[] }) {
  const starts = Array.from(
    { length: Math.ceil(Math.min(ids.length, MOST_NAMES) / SELECT_PAGE_SIZE) },
    (_, index) => index * SELECT_PAGE_SIZE,
  );
  return (
    <>
      {starts.map((start) => (
        <Fragment key={start}>
          {start > 0 && t(words.comma)}
          <Value field={field} value={ids.slice(start, start + SELECT_PAGE_SIZE)} />
        </Fragment>
      ))}
      {ids.length > MOST_NAMES && ` · ${t(words.more, { count: ids.length - MOST_NAMES })}`}
    </>
  );
}

interface SideProps {
  readonly field: Field | undefined;
  readonly value: unknown;
  readonly other: unknown;
  /** The verb before objects that the other side lacks. */
  readonly word: LocalText;
}

/** A field before or after the change. Lists show only the objects that the other side lacks. */
function Side({ field, value, other, word }: SideProps) {
  if (!field || targetOf(field) === undefined || !Array.isArray(value))
    return <Value field={field} value={value} />;
  const ids = Array.isArray(other) ? value.filter((one) => !other.includes(one)) : value;
  if (ids.length === 0) return '-';
  return (
    <>
      {t(word)}
      <Names field={field} ids={ids} />
    </>
  );
}

/** The fields of a change, before and after. */
export function FieldChanges({ change }: { readonly change: PlannedChangeView }) {
  const { resource, action, name, fields, secrets } = change;
  const declared: Readonly<Record<string, Field>> = CONTROLLED[resource].fields;
  return (
    <Table fz="sm" layout="fixed" className={styles.fields ?? ''} aria-label={name}>
      <Table.Thead>
        <Table.Tr>
          {[words.field, words.before, words.after].map((word) => (
            <Table.Th key={word.en}>{t(word)}</Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {Object.entries(fields).map(([key, [before, after]]) => {
          const field = declared[key];
          // A new object has no value before, and a deleted one none after.
          if (isBlank(before) && isBlank(after)) return null;
          return (
            <Table.Tr key={key}>
              <Table.Th scope="row">{field ? t(field.label) : key}</Table.Th>
              <Table.Td>
                <Side field={field} value={before} other={after} word={words.removed} />
              </Table.Td>
              <Table.Td>
                <Side field={field} value={after} other={before} word={words.added} />
              </Table.Td>
            </Table.Tr>
          );
        })}
        {secrets.map((key) => (
          <Table.Tr key={key}>
            <Table.Th scope="row">{declared[key] ? t(declared[key].label) : key}</Table.Th>
            <Table.Td>-</Table.Td>
            <Table.Td>{t(action === 'create' ? words.secretSet : words.secretChanged)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

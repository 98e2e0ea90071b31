import { Table, Text } from '@mantine/core';
import type { operateLog, Row } from '@sallyport/contract';
import type { ReactNode } from 'react';
import { t } from '../../../kit/i18n/index.ts';
import { Moment } from '../list/Moment.tsx';
import styles from './Changes.module.css';
import { words } from './words.ts';

/** As the server writes dates. */
const DATE = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d{4}$/;

/** Dates as everywhere else, whole, because two of them are compared. */
function sideOf(text: string): ReactNode {
  return DATE.test(text) ? <Moment date={text} exact /> : text || '-';
}

/** What a change did, field by field, in the server's words. */
export function Changes({ entry }: { readonly entry: Row<typeof operateLog> }) {
  const changes = entry.changes_display;
  if (changes.length === 0) return <Text c="dimmed">{t(words.noChanges)}</Text>;
  return (
    <Table withTableBorder withColumnBorders fz="xs" layout="fixed" className={styles.changes ?? ''} aria-label={entry.resource}>
      <Table.Thead>
        <Table.Tr>
          {[words.field, words.before, words.after].map((word) => (
            <Table.Th key={word.en}>{t(word)}</Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {changes.map(({ field, label, before, after }) => (
          <Table.Tr key={field}>
            <Table.Th scope="row">{label}</Table.Th>
            <Table.Td className={before ? styles.before : ''}>{sideOf(before)}</Table.Td>
            <Table.Td className={after ? styles.after : ''}>{sideOf(after)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

import { Table, Text } from '@mantine/core';
import { type ChangedObject, operateLog, type Row } from '@sallyport/contract';
import { Fragment, type ReactNode } from 'react';
import { t } from '../../../kit/i18n/index.ts';
import { ResourceList } from '../list/ResourceList.tsx';
import { Moment } from '../list/table/Moment.tsx';
import { ObjectLink } from '../object/ObjectLink.tsx';
import type { Source } from '../source.ts';
import styles from './Changes.module.css';
import { words } from './words.ts';

/** Date format of the server. */
const DATE = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d{4}$/;

/**
 * Formats one side of a change: dates in full, because users compare them, and objects as links if
 * the user may open them.
 */
function sideOf(text: string, objects: readonly ChangedObject[]): ReactNode {
  if (objects.length > 0) {
    return objects.map(({ name, resource, id }, index) => (
      <Fragment key={id ?? `${index} ${name}`}>
        {index > 0 && t(words.comma)}
        {id ? (
          <ObjectLink resource={resource} id={id}>
            {name}
          </ObjectLink>
        ) : (
          name
        )}
      </Fragment>
    ));
  }
  return DATE.test(text) ? <Moment date={text} exact /> : text || '-';
}

/** Shows a change field by field, in the words of the server. */
export function Changes({
  entry,
}: {
  readonly entry: Pick<Row<typeof operateLog>, 'changes_display' | 'resource'>;
}) {
  const changes = entry.changes_display;
  if (changes.length === 0) return <Text c="dimmed">{t(words.noChanges)}</Text>;
  return (
    <Table
      withTableBorder
      withColumnBorders
      fz="xs"
      layout="fixed"
      className={styles.changes ?? ''}
      aria-label={entry.resource}
    >
      <Table.Thead>
        <Table.Tr>
          {[words.field, words.before, words.after].map((word) => (
            <Table.Th key={word.en}>{t(word)}</Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {changes.map(
          ({ field, label, before, after, before_objects: gone, after_objects: come }) => (
            <Table.Tr key={field}>
              <Table.Th scope="row">{label}</Table.Th>
              <Table.Td className={before ? styles.before : ''}>{sideOf(before, gone)}</Table.Td>
              <Table.Td className={after ? styles.after : ''}>{sideOf(after, come)}</Table.Td>
            </Table.Tr>
          ),
        )}
      </Table.Tbody>
    </Table>
  );
}

// A separate name: its column preferences differ from those of the operate log page.
const ACTIVITY: Source = { ...operateLog, name: 'activity' };

/** Lists the changes of an object with author, time and previous values. */
export function Activity({ source, id }: { readonly source: Source; readonly id: string }) {
  return (
    <ResourceList<Row<typeof operateLog>>
      source={ACTIVITY}
      embedded
      columns={[
        { name: 'user' },
        { name: 'action', width: 120 },
        { name: 'resource', hidden: true },
        { name: 'remote_addr', mono: true, width: 160 },
        { name: 'datetime', essential: true },
      ]}
      base={{ resource_id: id, resource_type: source.name }}
      hasSearch={false}
      expand={(entry) => <Changes entry={entry} />}
    />
  );
}

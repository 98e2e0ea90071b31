import '../../../kit/styles-more.css';
import { Table, Text } from '@mantine/core';
import { type operateLog, RESOURCES, type Row, say } from '@sallyport/contract';
import { language, t } from '../../../kit/i18n/index.ts';
import { words } from './words.ts';

const isPair = (value: unknown): value is readonly [unknown, unknown] => Array.isArray(value) && value.length === 2;
const show = (value: unknown): string =>
  value === null || value === undefined || value === '' ? '-' : typeof value === 'object' ? JSON.stringify(value) : String(value);

/** What a change did, field by field. */
export function Changes({ entry }: { readonly entry: Row<typeof operateLog> }) {
  const resource = RESOURCES.find(({ name }) => name === entry.resource_type);
  const changes = Object.entries((entry.changes ?? {}) as Readonly<Record<string, unknown>>).filter((one): one is [string, readonly [unknown, unknown]] =>
    isPair(one[1]),
  );
  if (changes.length === 0) return <Text c="dimmed">{t(words.noChanges)}</Text>;
  return (
    <Table withTableBorder withColumnBorders fz="xs" aria-label={entry.resource}>
      <Table.Thead>
        <Table.Tr>
          {[words.field, words.before, words.after].map((word) => (
            <Table.Th key={word.en}>{t(word)}</Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {changes.map(([name, [before, after]]) => {
          const field = resource?.fields[name];
          return (
            <Table.Tr key={name}>
              <Table.Td>{field ? say(field.label, language) : name}</Table.Td>
              <Table.Td style={{ overflowWrap: 'anywhere', whiteSpace: 'normal' }}>{show(before)}</Table.Td>
              <Table.Td style={{ overflowWrap: 'anywhere', whiteSpace: 'normal' }}>{show(after)}</Table.Td>
            </Table.Tr>
          );
        })}
      </Table.Tbody>
    </Table>
  );
}

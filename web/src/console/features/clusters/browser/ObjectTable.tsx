import { Anchor, Skeleton, Table, Text } from '@mantine/core';
import type { ClusterObjectRow, ClusterObjects, ClusterPageKind } from '@sallyport/contract';
import { t } from '../../../../kit/i18n/index.ts';
import { Moment } from '../../../resource/list/table/Moment.tsx';
import { useBreakpoints } from '../../useBreakpoints.ts';
import { COLUMNS, KINDS, words } from './words.ts';

/** Columns that phones show between name and age. */
const ON_PHONES = new Set(['Status', 'Ready']);

interface Props {
  readonly kind: ClusterPageKind;
  /** Undefined while the first page loads. */
  readonly pages: readonly ClusterObjects[] | undefined;
  /** Shows the namespace of each object. */
  readonly hasNamespaces: boolean;
  readonly onOpen: (row: ClusterObjectRow) => void;
}

/** The objects of one kind, with the columns that the API server prints. */
export function ObjectTable({ kind, pages, hasNamespaces, onOpen }: Props) {
  const { phone } = useBreakpoints();
  if (!pages) return <Skeleton height={160} />;
  const rows = pages.flatMap((page) => page.rows);
  if (rows.length === 0)
    return (
      <Text c="dimmed" role="status">
        {t(words.none, { kind: t(KINDS[kind]) })}
      </Text>
    );
  const columns = (pages[0]?.columns ?? []).map((column, index) => ({ ...column, index }));
  const visible = columns.filter(({ name }) => !phone || ON_PHONES.has(name));
  const titleOf = (name: string) => {
    const known = COLUMNS[name];
    return known ? t(known) : name;
  };
  return (
    <Table.ScrollContainer minWidth={phone ? 300 : 600}>
      <Table striped verticalSpacing={6} aria-label={t(KINDS[kind])}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t(words.name)}</Table.Th>
            {hasNamespaces && <Table.Th>{t(words.namespace)}</Table.Th>}
            {visible.map(({ name, description }) => (
              <Table.Th key={name} title={description} style={{ whiteSpace: 'nowrap' }}>
                {titleOf(name)}
              </Table.Th>
            ))}
            <Table.Th>{t(words.age)}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={`${row.namespace}/${row.name}`}>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>
                <Anchor
                  component="button"
                  type="button"
                  ta="start"
                  fz="sm"
                  ff="monospace"
                  onClick={() => onOpen(row)}
                >
                  {row.name}
                </Anchor>
              </Table.Td>
              {hasNamespaces && <Table.Td>{row.namespace}</Table.Td>}
              {visible.map(({ name, index }) => (
                <Table.Td key={name}>{row.cells[index]}</Table.Td>
              ))}
              <Table.Td style={{ whiteSpace: 'nowrap' }}>
                {row.date_created && <Moment date={row.date_created} />}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

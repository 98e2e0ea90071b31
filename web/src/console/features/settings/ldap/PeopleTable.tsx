import { Table, UnstyledButton } from '@mantine/core';
import type { LdapUser, LocalText } from '@sallyport/contract';
import { common, t } from '../../../../kit/i18n/index.ts';
import { IconArrowsSort, IconSortAscending, IconSortDescending } from '../../../../kit/icons.ts';
import listStyles from '../../../resource/list/List.module.css';
import { nextOrder } from '../../../resource/list/list-state.ts';
import { words as listWords } from '../../../resource/list/words.ts';
import { words } from '../words.ts';

const COLUMNS: readonly {
  readonly name: 'username' | 'name' | 'email' | 'existing';
  readonly label: LocalText;
}[] = [
  { name: 'username', label: words.username },
  { name: 'name', label: words.name },
  { name: 'email', label: words.email },
  { name: 'existing', label: words.existing },
];

interface PeopleTableProps {
  readonly rows: readonly LdapUser[];
  readonly order: string;
  readonly chosen: ReadonlySet<string>;
  readonly onOrder: (order: string) => void;
  readonly onChoose: (chosen: ReadonlySet<string>) => void;
}

/** A page of directory users with selection. */
export function PeopleTable({ rows, order, chosen, onOrder, onChoose }: PeopleTableProps) {
  const isWhole = rows.length > 0 && rows.every(({ id }) => chosen.has(id));
  const choose = (ids: readonly string[], isChosen: boolean) => {
    const next = new Set(chosen);
    for (const id of ids) isChosen ? next.add(id) : next.delete(id);
    onChoose(next);
  };
  return (
    <Table.ScrollContainer minWidth={560}>
      <Table verticalSpacing={6} aria-label={t(words.bulkImport)}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={36}>
              <input
                type="checkbox"
                className={listStyles.box}
                aria-label={t(listWords.selectAll)}
                checked={isWhole}
                onChange={(event) =>
                  choose(
                    rows.map(({ id }) => id),
                    event.currentTarget.checked,
                  )
                }
              />
            </Table.Th>
            {COLUMNS.map(({ name, label }) => {
              const sorted =
                order === name ? 'ascending' : order === `-${name}` ? 'descending' : undefined;
              const Icon =
                sorted === 'ascending'
                  ? IconSortAscending
                  : sorted
                    ? IconSortDescending
                    : IconArrowsSort;
              return (
                <Table.Th key={name} {...(sorted && { 'aria-sort': sorted })}>
                  <UnstyledButton
                    className={listStyles.sort}
                    aria-label={t(listWords.sortBy, { name: t(label) })}
                    onClick={() => onOrder(nextOrder(order, name) || 'existing')}
                  >
                    {t(label)}
                    <Icon size={14} opacity={sorted ? 1 : 0.6} />
                  </UnstyledButton>
                </Table.Th>
              );
            })}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ id, username, name, email, existing }) => (
            <Table.Tr key={id}>
              <Table.Td>
                <input
                  type="checkbox"
                  className={listStyles.box}
                  aria-label={t(listWords.selectRow, { name: username })}
                  checked={chosen.has(id)}
                  onChange={(event) => choose([id], event.currentTarget.checked)}
                />
              </Table.Td>
              <Table.Td>{username}</Table.Td>
              <Table.Td>{name}</Table.Td>
              <Table.Td>{email}</Table.Td>
              <Table.Td>{t(existing ? common.yes : common.no)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

import { ActionIcon, Button, Popover } from '@mantine/core';
import { MANY_ROWS, MAX_ITEMS, type NamedSet } from '@sallyport/contract';
import { useState, useSyncExternalStore } from 'react';
import { addressOf, api } from '../../../../kit/api.ts';
import { common, t } from '../../../../kit/i18n/index.ts';
import { IconX } from '../../../../kit/icons.ts';
import { SetBar, type SetChanges } from '../../set/SetBar.tsx';
import type { Source } from '../../source.ts';
import { byVerdict } from '../../verdict.ts';
import styles from '../List.module.css';
import { type RowAction, verdictOf } from '../table/RowActions.tsx';
import { words } from '../words.ts';
import { type Selection, useSelectedRows } from './selection.ts';

interface SelectionBarProps<T> {
  readonly source: Source;
  /** Query of the list without paging. */
  readonly query: Readonly<Record<string, string | number>>;
  readonly setChanges: SetChanges;
  readonly selection: Selection<T>;
  readonly pageRows: readonly T[];
  /** Number of rows on all pages that match the query. */
  readonly matching: number;
  /** Reads all matching rows. */
  readonly readAll: () => Promise<readonly T[]>;
  readonly nameOf: (row: T) => string;
  readonly actionsOf: (rows: readonly T[]) => readonly RowAction[];
}

/** Maximum hidden rows to list by name. */
const MOST_LISTED = 100;

/** Returns the query as a query string without the question mark. */
const searchText = (query: Readonly<Record<string, string | number>>): string =>
  addressOf('', query).split('?')[1] ?? '';

/** Sticky bar with the selected rows of all pages and their actions. */
export function SelectionBar<T extends { readonly id: string }>(props: SelectionBarProps<T>) {
  const { source, query, setChanges, selection, pageRows, matching, readAll, nameOf, actionsOf } =
    props;
  const set = useSyncExternalStore(selection.subscribe, selection.set);
  const rows = useSelectedRows(selection);
  const [reading, setReading] = useState(false);
  const inSight = new Set(pageRows.map(({ id }) => id));
  const hidden = rows.filter(({ id }) => !inSight.has(id));

  // Without actions on sets, read the rows themselves.
  const bySet =
    matching > MANY_ROWS &&
    source.access &&
    (setChanges.remove || setChanges.update || setChanges.more);

  async function selectAll() {
    setReading(true);
    try {
      if (!bySet) selection.togglePage(await readAll(), true);
      else {
        const queryText = searchText(query);
        const matchingSet = await api.post<NamedSet>('common/resources/matching/', {
          resource: source.name,
          query: queryText,
        });
        selection.chooseSet({ ...matchingSet, query: queryText });
      }
    } catch {
      // The request layer has reported the error.
    } finally {
      setReading(false);
    }
  }

  if (set)
    return (
      <SetBar
        source={source}
        set={set}
        isOfList={set.query === searchText(query)}
        changes={setChanges}
        onClear={selection.clear}
      />
    );
  return (
    <section className={styles.selection} aria-label={t(words.selection)}>
      <span role="status">{t(words.selected, { count: rows.length })}</span>
      {hidden.length > 0 && (
        <HiddenRows rows={hidden} nameOf={nameOf} onRemove={selection.toggle} />
      )}
      {matching > pageRows.length && rows.length < matching && (bySet || matching <= MAX_ITEMS) && (
        <Button
          size="compact-sm"
          variant="subtle"
          loading={reading}
          onClick={() => void selectAll()}
        >
          {t(words.selectMatching, { count: matching })}
        </Button>
      )}
      <Button size="compact-sm" variant="subtle" onClick={selection.clear}>
        {t(words.clearSelection)}
      </Button>
      <span className={styles.bulk}>
        {actionsOf(rows).map((action) => (
          <Button
            key={action.key}
            size="compact-sm"
            variant="default"
            {...(action.danger && { variant: 'light', color: 'red' })}
            {...byVerdict(verdictOf(action), action.run)}
          >
            {action.label}
          </Button>
        ))}
      </span>
    </section>
  );
}

interface HiddenRowsProps<T> {
  readonly rows: readonly T[];
  readonly nameOf: (row: T) => string;
  readonly onRemove: (row: T) => void;
}

/** Lists selected rows that are not on the page, with buttons to deselect them. */
function HiddenRows<T extends { readonly id: string }>({
  rows,
  nameOf,
  onRemove,
}: HiddenRowsProps<T>) {
  return (
    <>
      <span role="status">{t(words.notOnPage, { count: rows.length })}</span>
      <Popover position="bottom-start" trapFocus withinPortal>
        <Popover.Target>
          <Button size="compact-sm" variant="subtle">
            {t(common.show)}
          </Button>
        </Popover.Target>
        <Popover.Dropdown aria-label={t(words.notOnPage, { count: rows.length })}>
          <ul className={styles.hiddenRows}>
            {rows.slice(0, MOST_LISTED).map((row) => (
              <li key={row.id}>
                <span>{nameOf(row)}</span>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size={24}
                  aria-label={t(words.deselect, { name: nameOf(row) })}
                  onClick={() => onRemove(row)}
                >
                  <IconX size={14} />
                </ActionIcon>
              </li>
            ))}
            {rows.length > MOST_LISTED && (
              <li>{t(words.andMore, { count: rows.length - MOST_LISTED })}</li>
            )}
          </ul>
        </Popover.Dropdown>
      </Popover>
    </>
  );
}

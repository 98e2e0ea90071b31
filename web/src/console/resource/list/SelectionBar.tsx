import { ActionIcon, Button, Popover } from '@mantine/core';
import { MAX_ITEMS } from '@sallyport/contract';
import { useState } from 'react';
import { common, t } from '../../../kit/i18n/index.ts';
import { IconX } from '../../../kit/icons.ts';
import { byVerdict } from '../verdict.ts';
import styles from './List.module.css';
import { type RowAction, verdictOf } from './RowActions.tsx';
import type { Selection } from './selection.ts';
import { useSelectedRows } from './useSelection.ts';
import { words } from './words.ts';

interface SelectionBarProps<T> {
  readonly selection: Selection<T>;
  /** The rows on the screen. */
  readonly shown: readonly T[];
  /** How many rows match what the list asks for, on all pages. */
  readonly matching: number;
  /** Reads all of them. */
  readonly readAll: () => Promise<readonly T[]>;
  readonly nameOf: (row: T) => string;
  readonly actionsOf: (rows: readonly T[]) => readonly RowAction[];
}

/** How many hidden rows are named; more say little. */
const MOST_LISTED = 100;

/** What is selected, on whichever page, and what can be done with it; always in sight while something is selected. */
export function SelectionBar<T extends { readonly id: string }>({ selection, shown, matching, readAll, nameOf, actionsOf }: SelectionBarProps<T>) {
  const rows = useSelectedRows(selection);
  const [reading, setReading] = useState(false);
  const inSight = new Set(shown.map(({ id }) => id));
  const hidden = rows.filter(({ id }) => !inSight.has(id));

  async function selectAll() {
    setReading(true);
    try {
      selection.togglePage(await readAll(), true);
    } catch {
      // The request layer has shown the error.
    } finally {
      setReading(false);
    }
  }

  return (
    <section className={styles.selection} aria-label={t(words.selection)}>
      <span role="status">{t(words.selected, { count: rows.length })}</span>
      {hidden.length > 0 && <HiddenRows rows={hidden} nameOf={nameOf} onRemove={selection.toggle} />}
      {matching > shown.length && matching <= MAX_ITEMS && rows.length < matching && (
        <Button size="compact-sm" variant="subtle" loading={reading} onClick={() => void selectAll()}>
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

/** The selected rows that are not on the screen, and the way to take them out. */
function HiddenRows<T extends { readonly id: string }>({ rows, nameOf, onRemove }: HiddenRowsProps<T>) {
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
                <ActionIcon variant="subtle" color="gray" size={24} aria-label={t(words.deselect, { name: nameOf(row) })} onClick={() => onRemove(row)}>
                  <IconX size={14} />
                </ActionIcon>
              </li>
            ))}
            {rows.length > MOST_LISTED && <li>{t(words.andMore, { count: rows.length - MOST_LISTED })}</li>}
          </ul>
        </Popover.Dropdown>
      </Popover>
    </>
  );
}

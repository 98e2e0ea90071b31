import { Alert, Checkbox } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef, useState } from 'react';
import { t } from '../../../kit/i18n/index.ts';
import { IconCircleCheck, IconCircleX } from '../../../kit/icons.ts';
import styles from './Import.module.css';
import type { ImportModel } from './import-model.ts';
import { columnOrder, type Verdict } from './verdicts.ts';
import { words } from './words.ts';

interface ImportPreviewProps {
  readonly model: ImportModel;
  readonly header: readonly string[];
  readonly verdicts: readonly Verdict[];
}

/** Maximum columns shown for a file without problems: enough to recognize a row. */
const SHOWN_COLUMNS = 3;

const ROW_HEIGHT = 32;

const OVERSCAN = 8;

/**
 * The rows of a file with the problems that the server found. Renders only visible rows, because a
 * file may have ten thousand.
 */
export function ImportPreview({ model, header, verdicts }: ImportPreviewProps) {
  const { bad, imported, fieldOf, changeCell } = model;
  const [onlyBad, setOnlyBad] = useState(bad > 0);
  const box = useRef<HTMLDivElement>(null);
  const visible = onlyBad
    ? verdicts.filter(({ problems, changed }) => problems.length > 0 || changed)
    : verdicts;
  const fields = header.map(fieldOf);
  // The check decides the order of columns; it stays while the user edits cells.
  const order = columnOrder(fields, verdicts);
  const columns = (bad > 0 ? order : order.slice(0, SHOWN_COLUMNS)).map((at) => ({
    at,
    label: header[at] ?? '',
    field: fields[at],
  }));
  const virtual = useVirtualizer({
    count: visible.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: OVERSCAN,
  });
  const items = virtual.getVirtualItems();
  const before = items[0]?.start ?? 0;
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  const width = columns.length + 2;

  if (verdicts.length === 0) return <Alert color="yellow">{t(words.nothingInside)}</Alert>;
  return (
    <>
      <Alert color={bad > 0 ? 'red' : 'green'} role={bad > 0 ? 'alert' : 'status'}>
        {bad === 0
          ? t(words.allGood, { count: verdicts.length })
          : `${imported ? t(words.someLeft, { count: bad }) : t(words.someBad, { count: verdicts.length, bad })} ${t(words.editHint)}`}
      </Alert>
      {bad > 0 && bad < verdicts.length && (
        <Checkbox
          size="xs"
          label={t(words.onlyProblems)}
          checked={onlyBad}
          onChange={(event) => setOnlyBad(event.currentTarget.checked)}
        />
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section ref={box} className={styles.preview} tabIndex={0} aria-label={t(words.preview)}>
        <table className={styles.table} aria-rowcount={visible.length + 1}>
          <thead>
            <tr>
              <th scope="col" className={styles.line}>
                {t(words.line)}
              </th>
              <th scope="col">{t(words.verdict)}</th>
              {columns.map(({ at, label }) => (
                <th scope="col" key={at}>
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {before > 0 && (
              <tr>
                <td colSpan={width} style={{ height: before, padding: 0 }} />
              </tr>
            )}
            {items.map(({ index }) => {
              const verdict = visible[index];
              return (
                verdict && (
                  <Row
                    key={verdict.line}
                    verdict={verdict}
                    columns={columns}
                    index={index}
                    measure={virtual.measureElement}
                    onChange={changeCell}
                  />
                )
              );
            })}
            {after > 0 && (
              <tr>
                <td colSpan={width} style={{ height: after, padding: 0 }} />
              </tr>
            )}
          </tbody>
        </table>
      </section>
    </>
  );
}

/** A column of the file: its index, heading and field. */
interface FileColumn {
  readonly at: number;
  readonly label: string;
  readonly field: string | undefined;
}

interface RowProps {
  readonly verdict: Verdict;
  readonly columns: readonly FileColumn[];
  readonly index: number;
  readonly measure: (element: HTMLElement | null) => void;
  readonly onChange: ImportModel['changeCell'];
}

function Row({ verdict, columns, index, measure, onChange }: RowProps) {
  const { line, cells, problems, fields, changed = false } = verdict;
  const editable = problems.length > 0 || changed;
  return (
    <tr ref={measure} data-index={index} aria-rowindex={index + 2}>
      <td className={`${styles.line} mono`}>{line}</td>
      <td className={changed ? styles.changed : editable ? styles.bad : styles.good}>
        {changed ? (
          t(words.changed)
        ) : problems.length === 0 ? (
          <>
            <IconCircleCheck size={14} aria-hidden="true" /> {t(words.good)}
          </>
        ) : (
          problems.map((problem) => (
            <div key={problem}>
              <IconCircleX size={14} aria-hidden="true" /> {problem}
            </div>
          ))
        )}
      </td>
      {columns.map(({ at, label, field }) =>
        editable ? (
          <td key={at} className={styles.input}>
            <input
              value={cells[at] ?? ''}
              aria-label={t(words.cell, { line, column: label })}
              aria-invalid={!changed && field !== undefined && fields.includes(field)}
              onChange={(event) => onChange(line, at, event.currentTarget.value)}
            />
          </td>
        ) : (
          <td key={at} className={styles.cell} title={cells[at]}>
            {cells[at]}
          </td>
        ),
      )}
    </tr>
  );
}

import { Alert, Checkbox } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef, useState } from 'react';
import { t } from '../../../kit/i18n/index.ts';
import { IconCircleCheck, IconCircleX } from '../../../kit/icons.ts';
import styles from './Import.module.css';
import type { Verdict } from './verdicts.ts';
import { words } from './words.ts';

interface ImportPreviewProps {
  readonly header: readonly string[];
  readonly verdicts: readonly Verdict[];
  readonly bad: number;
}

/** So many columns of the file are shown: enough to know a row again. */
const SHOWN_COLUMNS = 3;
const ROW_HEIGHT = 32;
const OVERSCAN = 8;

/** Every row of a file with what the server says about it. Only those in sight are drawn: a file may have ten thousand. */
export function ImportPreview({ header, verdicts, bad }: ImportPreviewProps) {
  const [onlyBad, setOnlyBad] = useState(bad > 0);
  const box = useRef<HTMLDivElement>(null);
  const shown = onlyBad ? verdicts.filter(({ problems }) => problems.length > 0) : verdicts;
  const columns = header.slice(0, SHOWN_COLUMNS);
  const virtual = useVirtualizer({ count: shown.length, getScrollElement: () => box.current, estimateSize: () => ROW_HEIGHT, overscan: OVERSCAN });
  const items = virtual.getVirtualItems();
  const before = items[0]?.start ?? 0;
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  const width = columns.length + 2;

  if (verdicts.length === 0) return <Alert color="yellow">{t(words.nothingInside)}</Alert>;
  return (
    <>
      <Alert color={bad > 0 ? 'red' : 'green'} role={bad > 0 ? 'alert' : 'status'}>
        {bad > 0 ? t(words.someBad, { count: verdicts.length, bad }) : t(words.allGood, { count: verdicts.length })}
      </Alert>
      {bad > 0 && bad < verdicts.length && (
        <Checkbox size="xs" label={t(words.onlyProblems)} checked={onlyBad} onChange={(event) => setOnlyBad(event.currentTarget.checked)} />
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section ref={box} className={styles.preview} tabIndex={0} aria-label={t(words.preview)}>
        <table className={styles.table} aria-rowcount={shown.length + 1}>
          <thead>
            <tr>
              <th scope="col" className={styles.line}>
                {t(words.line)}
              </th>
              <th scope="col">{t(words.verdict)}</th>
              {columns.map((cell, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a header may name a column twice, and none moves
                <th scope="col" key={index}>
                  {cell}
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
              const verdict = shown[index];
              return verdict && <Row key={verdict.line} verdict={verdict} columns={columns.length} index={index} measure={virtual.measureElement} />;
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

interface RowProps {
  readonly verdict: Verdict;
  readonly columns: number;
  readonly index: number;
  readonly measure: (element: HTMLElement | null) => void;
}

function Row({ verdict: { line, cells, problems }, columns, index, measure }: RowProps) {
  return (
    <tr ref={measure} data-index={index} aria-rowindex={index + 2}>
      <td className={`${styles.line} mono`}>{line}</td>
      <td className={problems.length > 0 ? styles.bad : styles.good}>
        {problems.length === 0 ? (
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
      {Array.from({ length: columns }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the cells of a row never move
        <td key={at} className={styles.cell} title={cells[at]}>
          {cells[at]}
        </td>
      ))}
    </tr>
  );
}

import type { RowSample } from '@sallyport/contract';
import { t } from '../../kit/i18n/index.ts';
import styles from './Query.module.css';
import { words } from './words.ts';

/** Shows the first rows that a statement affects. The keyboard scrolls it. */
export function RowSampleTable({ sample: { columns, rows } }: { readonly sample: RowSample }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls needs the focus
    <section className={styles.sample} tabIndex={0} aria-label={t(words.previewRows)}>
      <table>
        <thead>
          <tr>
            {columns.map((name, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the columns of a sample never move
              <th key={at} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, line) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a sample never move
            <tr key={line}>
              {row.map((value, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the columns of a sample never move
                <td key={at} {...(value === null && { 'data-null': true })}>
                  {value ?? 'NULL'}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

import type { NamedRow } from '@sallyport/contract';
import { formatNumber } from '../../../kit/format.ts';
import styles from '../list/List.module.css';
import { ObjectLink } from './ObjectLink.tsx';

interface ChipsProps {
  readonly resource: string;
  /** The first of them. */
  readonly named: readonly NamedRow[];
  /** How many there are in all. */
  readonly count: number;
  /** So many are drawn at the most. */
  readonly most?: number;
}

/** The objects that a row is linked to: the first ones as chips that lead to them, and the number of the others. */
export function Chips({ resource, named, count, most = 2 }: ChipsProps) {
  if (named.length === 0) return <span style={{ color: 'var(--mantine-color-dimmed)' }}>-</span>;
  const shown = named.slice(0, most);
  return (
    <span className={styles.chips}>
      {shown.map(({ id, name }) => (
        <span key={id} className={styles.chip} title={name}>
          <ObjectLink resource={resource} id={id}>
            {name}
          </ObjectLink>
        </span>
      ))}
      {count > shown.length && (
        <span className={styles.others}>+{formatNumber(count - shown.length)}</span>
      )}
    </span>
  );
}

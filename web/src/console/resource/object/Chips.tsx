import type { NamedRow } from '@sallyport/contract';
import { formatNumber } from '../../../kit/format/format.ts';
import styles from '../list/List.module.css';
import { ObjectLink } from './ObjectLink.tsx';

interface ChipsProps {
  readonly resource: string;
  /** The first objects. */
  readonly objects: readonly NamedRow[];
  /** Number of all objects. */
  readonly count: number;
  /** Maximum number of chips. */
  readonly most?: number;
}

/**
 * The objects linked to a row: the first ones as chips with links, and the number of the others.
 */
export function Chips({ resource, objects, count, most = 2 }: ChipsProps) {
  if (objects.length === 0) return null;
  const visible = objects.slice(0, most);
  return (
    <span className={styles.chips}>
      {visible.map(({ id, name }) => (
        <span key={id} className={styles.chip} title={name}>
          <ObjectLink resource={resource} id={id}>
            {name}
          </ObjectLink>
        </span>
      ))}
      {count > visible.length && (
        <span className={styles.others}>+{formatNumber(count - visible.length)}</span>
      )}
    </span>
  );
}

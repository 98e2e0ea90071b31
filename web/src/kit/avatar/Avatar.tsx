import styles from './Avatar.module.css';
import { colorOf, initialsOf } from './initials.ts';

/** Initials on a color derived from the user id. Loads no picture. */
export function Avatar({ name, id }: { readonly name: string; readonly id: string }) {
  return (
    <span className={styles.avatar} data-color={colorOf(id)} aria-hidden="true">
      {initialsOf(name)}
    </span>
  );
}

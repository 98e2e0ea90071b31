import styles from './Avatar.module.css';
import { colorOf, initialsOf } from './initials.ts';

/** The initials of a person on the color of their id, next to their name: no picture is loaded from anywhere. */
export function Avatar({ name, id }: { readonly name: string; readonly id: string }) {
  return (
    <span className={styles.avatar} data-color={colorOf(id)} aria-hidden="true">
      {initialsOf(name)}
    </span>
  );
}

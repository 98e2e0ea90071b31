import styles from './Avatar.module.css';

/** Number of colors in Avatar.module.css. */
const COLORS = 8;

const HAN = /\p{Script=Han}/u;

/**
 * Returns the initials of a name: the last two characters of a Chinese name, else the first letters
 * of the first and last word. `Name(username)` counts as its name.
 */
export function initialsOf(name: string): string {
  const plain = name.replace(/\([^()]*\)$/, '').trim() || name.trim();
  const letters = [...plain];
  if (HAN.test(plain))
    return letters
      .filter((letter) => HAN.test(letter))
      .slice(-2)
      .join('');
  const words = plain.split(/[\s._-]+/u).filter(Boolean);
  const [first = '', last = ''] = [words[0] ?? '', words.length > 1 ? words.at(-1) : ''];
  return ([...first].slice(0, 1).join('') + [...last].slice(0, 1).join('')).toUpperCase();
}

/** Returns the color index of a user id, the same on every page. */
export function colorOf(id: string): number {
  let sum = 0;
  for (const letter of id) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_003;
  return sum % COLORS;
}

/** Initials on a color derived from the user id. Loads no picture. */
export function Avatar({ name, id }: { readonly name: string; readonly id: string }) {
  return (
    <span className={styles.avatar} data-color={colorOf(id)} aria-hidden="true">
      {initialsOf(name)}
    </span>
  );
}

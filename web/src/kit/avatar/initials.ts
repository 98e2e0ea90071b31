/** So many colors are in Avatar.module.css. */
const COLORS = 8;

const HAN = /\p{Script=Han}/u;

/** The letters that stand for a name: the last two of a Chinese one, the first of the first and last word of another. `Name(username)` counts as its name. */
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

/** The color of a person, by id: the same one on every page. */
export function colorOf(id: string): number {
  let sum = 0;
  for (const letter of id) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_003;
  return sum % COLORS;
}

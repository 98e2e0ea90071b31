import { randomInt } from 'node:crypto';

/**
 * One of each kind, so that servers with rules for passwords take it. Nothing that a shell, a quote
 * or a colon could be, and nothing that is mistaken for another one.
 */
const KINDS = [
  'abcdefghijkmnopqrstuvwxyz',
  'ABCDEFGHJKLMNPQRSTUVWXYZ',
  '23456789',
  '-_.=+@%',
] as const;
const ALL = KINDS.join('');

const one = (characters: string) => characters.charAt(randomInt(characters.length));

/** A random password of so many characters. It begins with a letter. */
export function randomPassword(length: number): string {
  const rest = [
    ...KINDS.map(one),
    ...Array.from({ length: Math.max(0, length - KINDS.length - 1) }, () => one(ALL)),
  ];
  // Fisher and Yates.
  for (let index = rest.length - 1; index > 0; index -= 1) {
    const other = randomInt(index + 1);
    [rest[index], rest[other]] = [rest[other] ?? '', rest[index] ?? ''];
  }
  return one(KINDS[0]) + rest.join('');
}

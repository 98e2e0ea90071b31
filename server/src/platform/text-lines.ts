/** A line is longer than a reader takes. */
export class LineTooLong extends Error {
  override readonly name = 'LineTooLong';
}

/**
 * Yields the lines of a text that arrives in parts, without their ends.
 *
 * @throws LineTooLong if a line has more than `most` characters
 */
export async function* linesOf(
  parts: AsyncIterable<string>,
  most = Number.POSITIVE_INFINITY,
): AsyncGenerator<string, void> {
  let rest = '';
  for await (const part of parts) {
    const lines = (rest + part).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > most) throw new LineTooLong(`a line has more than ${most} characters`);
    yield* lines;
  }
  if (rest !== '') yield rest;
}

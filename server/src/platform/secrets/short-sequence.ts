/** Maximum value of a parameter. */
export const MAX_PARAMETER = 9999;
const ESCAPE = 0x1b;
const BRACKET = 0x5b;
const SEMICOLON = 0x3b;
const DELETE = 0x7f;

interface ShortSequence {
  readonly final: number;
  readonly parameters: number[];
  /** Offset of its last byte. */
  readonly at: number;
}

/**
 * Reads a whole control sequence of numbers, such as a color. Returns undefined for any other one,
 * and keeps its first two parameters.
 */
export function shortSequence(output: Buffer, from: number, to: number): ShortSequence | undefined {
  if (output[from] !== ESCAPE || output[from + 1] !== BRACKET) return undefined;
  const parameters = [0];
  for (let at = from + 2; at < to; at++) {
    const byte = output[at] ?? 0;
    if (byte >= 0x30 && byte <= 0x39) {
      const last = parameters.length - 1;
      parameters[last] = Math.min((parameters[last] ?? 0) * 10 + byte - 0x30, MAX_PARAMETER);
    } else if (byte === SEMICOLON) {
      if (parameters.length === 1) parameters.push(0);
    } else if (byte < 0x40 || byte >= DELETE) return undefined;
    else return { final: byte, parameters, at };
  }
  return undefined;
}

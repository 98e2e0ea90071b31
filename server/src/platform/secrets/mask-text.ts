import type { SecretKind } from './formats.ts';
import { OutputMask } from './output-mask.ts';

/** Masks secrets in a complete text, such as a command or a statement. */
export function maskText(
  text: string,
  known: readonly string[] = [],
  onMask?: (kind: SecretKind) => void,
): string {
  const parts: Buffer[] = [];
  const mask = new OutputMask({
    cols: 0,
    known,
    now: () => 0,
    onOutput: (part) => parts.push(part),
    ...(onMask && { onMask }),
  });
  mask.push(Buffer.from(text));
  mask.flush();
  return Buffer.concat(parts).toString('utf8');
}

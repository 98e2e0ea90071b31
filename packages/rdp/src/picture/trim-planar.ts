import { BadPdu } from '../byte-reader.ts';
import { formatOfPlanar, NO_ALPHA } from './planar.ts';

/** Maximum growth of a row: a run that is cut to one or two values becomes raw bytes. */
const MAX_GROWTH = 3;
/** Lengths of a segment that its control byte can express. */
const MIN_RUN = 3;
const MAX_RAW = 15;

interface Cut {
  readonly bytes: Uint8Array;
  readonly output: Uint8Array;
  readonly width: number;
  readonly height: number;
  /** Columns that remain. */
  readonly kept: number;
}

/**
 * Cuts the columns on the right of a planar bitmap without decoding its pixels, and leaves alpha
 * out. Values depend on the row before and the values to their left only, so the remaining ones
 * keep their encoding.
 *
 * @returns undefined for a bitmap without run lengths
 * @throws BadPdu for every other bitmap that `readPlanar` rejects
 */
export function trimPlanar(
  bytes: Uint8Array,
  { width, height }: { readonly width: number; readonly height: number },
  kept: number,
): Buffer | undefined {
  const { hasRuns, hasAlpha, format } = formatOfPlanar(bytes);
  if (!hasRuns) return undefined;
  const output = Buffer.allocUnsafe(bytes.length + 3 * MAX_GROWTH * height);
  const cut: Cut = { bytes, output, width, height, kept };
  output[0] = format | NO_ALPHA;
  // The first plane that remains overwrites alpha.
  let { from, to } = hasAlpha ? { ...trimRuns(cut, 1, 1), to: 1 } : { from: 1, to: 1 };
  for (let plane = 0; plane < 3; plane++) ({ from, to } = trimRuns(cut, from, to));
  return output.subarray(0, to);
}

interface Offsets {
  /** Offset of the next input byte, and of the next output byte. */
  readonly from: number;
  readonly to: number;
}

function trimRuns(cut: Cut, begin: number, target: number): Offsets {
  const { bytes, output, width, height, kept } = cut;
  let [from, to] = [begin, target];
  for (let row = 0; row < height; row++) {
    let column = 0;
    /** A run without raw bytes before it repeats zero. */
    let value = 0;
    while (column < width) {
      if (from >= bytes.length) throw new BadPdu('a message ends too early');
      const control = bytes[from++] ?? 0;
      let run = control & 15;
      let raw = control >> 4;
      if (run === 1 || run === 2) {
        run = run * 16 + raw;
        raw = 0;
      }
      if (run + raw === 0 || column + run + raw > width)
        throw new BadPdu('a run of a bitmap does not fit its row');
      if (from + raw > bytes.length) throw new BadPdu('a message ends too early');
      if (column + run + raw <= kept) {
        output[to++] = control;
        for (let index = 0; index < raw; index++) output[to++] = bytes[from + index] ?? 0;
      } else if (column < kept) {
        const keptRaw = Math.min(raw, kept - column);
        output.set(bytes.subarray(from, from + keptRaw), to + 1);
        if (keptRaw > 0) value = bytes[from + keptRaw - 1] ?? 0;
        to = writeSegment(output, to, { raw: keptRaw, run: kept - column - keptRaw, value });
      }
      if (raw > 0) value = bytes[from + raw - 1] ?? 0;
      from += raw;
      column += run + raw;
    }
  }
  return { from, to };
}

/** Completes a segment whose raw bytes follow its control byte at `at`. Returns the next offset. */
function writeSegment(
  output: Uint8Array,
  at: number,
  { raw, run, value }: { readonly raw: number; readonly run: number; readonly value: number },
): number {
  if (run >= MIN_RUN || run === 0) {
    const base = run >= 32 ? 2 : 1;
    output[at] = run > 15 ? ((run - base * 16) << 4) | base : (raw << 4) | run;
    return at + 1 + raw;
  }
  // Control bytes cannot express shorter runs.
  const more = Math.min(run, MAX_RAW - raw);
  output.fill(value, at + 1 + raw, at + 1 + raw + more);
  output[at] = (raw + more) << 4;
  const next = at + 1 + raw + more;
  if (more === run) return next;
  output[next] = (run - more) << 4;
  output.fill(value, next + 1, next + 1 + run - more);
  return next + 1 + run - more;
}

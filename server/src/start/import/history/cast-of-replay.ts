import { CastEncoder } from '../../../gateway/sessions/terminal/recorder/recorder.ts';
import { OutputMask } from '../../../platform/secrets/output-mask.ts';
import type { ReplayEvent } from './replay-events.ts';

/** Size of terminals whose recording names none: full-screen programs need enough rows. */
const UNKNOWN_SIZE = { cols: 132, rows: 43 };
/** Decimal places of the seconds of a recording are microseconds. */
const SECOND = 1000;

interface CastOptions {
  readonly startedAt: Date;
  readonly title: string;
  readonly isMasked: boolean;
}

/**
 * Writes events as a recording of this product (asciicast version 2), without secrets if the
 * setting says so. Times that go back stay at the latest one.
 */
export async function* castOfReplay(
  events: AsyncIterable<ReplayEvent>,
  { startedAt, title, isMasked }: CastOptions,
): AsyncGenerator<string> {
  const encoder = new CastEncoder();
  const lines: string[] = [];
  let now = 0;
  const onOutput = (output: Buffer, at: number) => lines.push(encoder.output(at / SECOND, output));
  const { cols } = UNKNOWN_SIZE;
  const mask = isMasked ? new OutputMask({ cols, known: [], now: () => now, onOutput }) : undefined;
  let isBegun = false;
  try {
    for await (const event of events) {
      now = Math.max(now, event.at);
      if (!isBegun) {
        const size = 'size' in event ? event.size : UNKNOWN_SIZE;
        yield encoder.header({ ...size, startedAt, title });
        mask?.resize(size.cols);
        isBegun = true;
      } else if ('size' in event) {
        mask?.flush();
        mask?.resize(event.size.cols);
        lines.push(encoder.resize(now / SECOND, event.size.cols, event.size.rows));
      }
      if ('output' in event) {
        const output = Buffer.from(event.output);
        if (mask) mask.push(output);
        else onOutput(output, now);
      }
      yield* lines.splice(0);
    }
    // A session may have shown nothing.
    if (!isBegun) yield encoder.header({ ...UNKNOWN_SIZE, startedAt, title });
    mask?.flush();
    lines.push(encoder.end(now / SECOND));
    yield* lines.splice(0);
  } finally {
    mask?.discard();
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import { RdpViewer } from './rdp-viewer.ts';
import { type ScrollingXrdp, startScrollingXrdp } from './scrolling-xrdp.ts';

/** Bytes of one TLS record of the server. */
interface TapedRecord {
  /** PDUs that the client had sent before. */
  readonly after: number;
  readonly at: number;
  /** Bitmaps that the client had received before. */
  readonly bitmaps: number;
  readonly bytes: Buffer;
}

/** A change of the picture: its records with the milliseconds since the first one. */
export interface TapedFrame {
  readonly bitmaps: number;
  readonly records: readonly Pick<TapedRecord, 'at' | 'bytes'>[];
}

/** A picture that changes ten times a second, as xrdp sent it. */
export interface Tape {
  readonly name: string;
  readonly frames: readonly TapedFrame[];
  /** Bitmaps, pixels and bytes of a frame. */
  readonly each: { readonly bitmaps: number; readonly pixels: number; readonly bytes: number };
}

export interface RdpTapes {
  /** From the settings to the first picture. */
  readonly opening: readonly Pick<TapedRecord, 'after' | 'bytes'>[];
  readonly tapes: readonly Tape[];
}

const SECONDS = 6;
/** A terminal starts within this time. */
const START_MS = 2_500;
const FRAME_MS = 100;

/** Python, because `sleep` of a shell drifts: a change every tenth of a second. */
const ticks = (step: string) => `import itertools, sys, time
began = time.monotonic()
for i in itertools.count(1):
    time.sleep(max(0, began + i / 10 - time.monotonic()))
    ${step}
    sys.stdout.flush()`;
const LOG = ticks(
  'print(f"line {i} of a scroll, as wide as lines of a log are: {i * i} bytes in {i * 7} ms")',
);
const DOCUMENT = ticks(
  'print(f"Paragraph {i // 5}: the quick brown fox jumps over the lazy dog, {i * i} words" * (i % 5 > 0))',
);
const TYPING = ticks('print(i % 10, end="" if i % 60 else "\\n")');
/** The terminal moves its window: 8 pixels to the right and 4 down, and back. */
const DRAG = ticks(
  's = min(i % 60, 60 - i % 60); print(f"\\033[3;{60 + s * 8};{40 + s * 4}t", end="")',
);

/** Frames as people cause them, on a screen of 1024 by 768. */
const WORK = [
  { name: 'whole screen scrolls', terminal: '-geometry 160x50+0+0', script: LOG },
  { name: 'document scrolls in a window', terminal: '-geometry 90x36+200+90', script: DOCUMENT },
  { name: 'typing in a terminal', terminal: '-geometry 90x36+200+90', script: TYPING },
  {
    name: 'window is dragged',
    terminal: "-geometry 60x20+60+40 -xrm 'XTerm*allowWindowOps: true'",
    script: DRAG,
  },
] as const;

/** Takes down the bytes of a desktop of xrdp at each kind of work, one after another. */
export async function recordTapes(): Promise<RdpTapes> {
  const xrdp = await startScrollingXrdp(1, []);
  try {
    const records: TapedRecord[] = [];
    let sent = 0;
    let viewer: RdpViewer | undefined;
    viewer = await RdpViewer.direct(xrdp, 'admin', ({ stream }) => {
      const write = stream.write.bind(stream) as (pdu: Buffer) => boolean;
      stream.write = (pdu: string | Uint8Array) => {
        sent++;
        return write(Buffer.from(pdu as Uint8Array));
      };
      stream.on('data', (chunk: Buffer) =>
        records.push({
          after: sent,
          at: performance.now(),
          bitmaps: viewer?.bitmaps ?? 0,
          bytes: Buffer.from(chunk),
        }),
      );
    });
    await viewer.picture();
    await sleep(START_MS);
    const opening = records.splice(0);
    const tapes: Tape[] = [];
    for (const work of WORK) tapes.push(await tapeOf(xrdp, viewer, records, work));
    viewer.close();
    return { opening, tapes };
  } finally {
    await xrdp.stop();
  }
}

async function tapeOf(
  xrdp: ScrollingXrdp,
  viewer: RdpViewer,
  records: TapedRecord[],
  { name, terminal, script }: (typeof WORK)[number],
): Promise<Tape> {
  const length = Math.ceil(SECONDS + (2 * START_MS) / 1000);
  const work = xrdp.onDesktop(
    'admin',
    `cat >work.py <<'END'
${script}
END
timeout ${length} xterm ${terminal} -e python3 work.py || :`,
  );
  await sleep(START_MS);
  records.length = 0;
  const before = { bitmaps: viewer.bitmaps, pixels: viewer.pixels };
  await sleep(SECONDS * 1000);
  const frames = framesOf(records.splice(0), viewer.bitmaps);
  const [bitmaps, pixels] = [viewer.bitmaps - before.bitmaps, viewer.pixels - before.pixels];
  await work;
  if (frames.length < SECONDS * 5) throw new Error(`${name}: the picture changed too seldom`);
  const bytes = frames
    .flatMap((frame) => frame.records)
    .reduce((sum, record) => sum + record.bytes.length, 0);
  const each = (sum: number) => Math.round(sum / frames.length);
  return {
    name,
    frames,
    each: { bitmaps: each(bitmaps), pixels: each(pixels), bytes: each(bytes) },
  };
}

/** Cuts records into what came in each tenth of a second. `bitmaps`: those after all records. */
function framesOf(records: readonly TapedRecord[], bitmaps: number): TapedFrame[] {
  const from = records[0]?.at ?? 0;
  const starts: number[] = [];
  let last = -1;
  for (const [index, { at }] of records.entries()) {
    const tenth = Math.floor((at - from) / FRAME_MS);
    if (tenth > last) starts.push(index);
    last = tenth;
  }
  return starts.map((start, number) => {
    const end = starts[number + 1] ?? records.length;
    const first = records[start];
    return {
      bitmaps: (records[end]?.bitmaps ?? bitmaps) - (first?.bitmaps ?? 0),
      records: records
        .slice(start, end)
        .map(({ at, bytes }) => ({ at: at - (first?.at ?? 0), bytes })),
    };
  });
}

export type UploadStatus =
  | 'waiting'
  | 'running'
  | 'paused'
  | 'asking'
  | 'done'
  | 'failed'
  | 'skipped'
  | 'cancelled';

export type ConflictAnswer = 'overwrite' | 'skip' | 'both';

export interface UploadItem {
  readonly id: string;
  readonly path: string;
  readonly size: number;
  readonly sent: number;
  readonly status: UploadStatus;
  readonly error: string | null;
  /** True if the server refused the time of the uploaded file. */
  readonly isWithoutTime?: boolean;
}

/** State of the uploads, for drawing. */
export interface UploadsSnapshot {
  readonly items: readonly UploadItem[];
  /** The file that the question is about. */
  readonly asking: UploadItem | null;
  /** Bytes per second, over the last seconds. */
  readonly speed: number;
}

const ENDED: ReadonlySet<UploadStatus> = new Set<UploadStatus>([
  'done',
  'failed',
  'skipped',
  'cancelled',
]);

/** Returns true if the upload does not continue without the user. */
export const isEnded = ({ status }: UploadItem): boolean => ENDED.has(status);

/** Returns the next name for a copy: `a.txt`, `a (2).txt`, `a (3).txt`. It may exist, too. */
export function nextName(name: string): string {
  const [, stem = '', number, ending = ''] = /^(.*?)(?: \((\d+)\))?(\.[^.]*)?$/s.exec(name) ?? [];
  return `${stem} (${number ? Number(number) + 1 : 2})${ending}`;
}

const MEASURED_MS = 4000;
const SHORTEST_MS = 300;

/** Measures the speed of uploads over the last seconds. */
export class SpeedMeter {
  #measured: { at: number; bytes: number }[] = [];

  add(bytes: number): void {
    const now = performance.now();
    this.#measured = [
      ...this.#measured.filter(({ at }) => now - at < MEASURED_MS),
      { at: now, bytes },
    ];
  }

  /** Zero until there are enough samples. */
  get bytesPerSecond(): number {
    const [first] = this.#measured;
    const last = this.#measured.at(-1);
    if (!first || !last || last.at - first.at < SHORTEST_MS) return 0;
    return (
      (this.#measured.reduce((sum, { bytes }) => sum + bytes, 0) / (last.at - first.at)) * 1000
    );
  }
}

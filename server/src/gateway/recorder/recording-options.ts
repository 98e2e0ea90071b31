import type { Recordings } from '../../platform/storage/recordings.ts';

export interface RecordingOptions {
  readonly recordings: Recordings;
  readonly sessionId: string;
  readonly startedAt: Date;
  readonly title: string;
  /**
   * Called once if the recording cannot be written or finished. The session must end, because
   * nothing more is recorded.
   */
  readonly onFailure: (error: Error) => void;
  /** Called when the disk has caught up after the recorder fell behind. */
  readonly onDrain: () => void;
  readonly maxBytes: number;
  readonly bytesPerSecond: number;
  /** Bytes allowed above the rate. */
  readonly burstBytes: number;
  /** Called once when the recording reaches `maxBytes`. */
  readonly onFull: () => void;
}

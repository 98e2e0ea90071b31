import type { Recordings } from '../../platform/storage/recordings.ts';

/** How a recording of any kind begins. */
export interface RecordingOptions {
  readonly recordings: Recordings;
  readonly sessionId: string;
  readonly startedAt: Date;
  readonly title: string;
  /** Called once, when the recording cannot be written, or not be kept at its end. What follows is not recorded any more, so the session must end. */
  readonly onFailure: (error: Error) => void;
  /** Called when the disk has caught up after the recorder said that it is behind. */
  readonly onDrain: () => void;
  readonly maxBytes: number;
  readonly bytesPerSecond: number;
  /** What may come faster than that at first. */
  readonly burstBytes: number;
  /** Called once, when the recording is as large as it may become. */
  readonly onFull: () => void;
}

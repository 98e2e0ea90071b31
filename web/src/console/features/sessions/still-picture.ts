import type { ITheme } from '@xterm/xterm';

/** A picture of one moment of a recording. */
export interface StillPicture {
  /**
   * Shows a second of the session. Calls while a picture is being drawn replace each other; the
   * last one wins.
   */
  show(second: number): void;
  setPalette(palette: ITheme): void;
  dispose(): void;
}

/** A recording that can be drawn in an element. */
export interface DrawnRecording {
  /** In seconds. */
  readonly duration: number;
  /** Calls `failed` if the recording is damaged, or if a moment is too large to draw. */
  readonly draw: (host: HTMLElement, failed: (error: unknown) => void) => StillPicture;
}

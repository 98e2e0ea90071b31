import type { ITheme } from '@xterm/xterm';

/** A picture of one moment of a recording. */
export interface StillPicture {
  /** Shows a second of the session. While one picture is being drawn, only the last one asked for counts. */
  show(second: number): void;
  setPalette(palette: ITheme): void;
  /** Ends the picture for good. */
  dispose(): void;
}

/** A recording that can be drawn in an element. */
export interface DrawnRecording {
  /** Seconds. */
  readonly duration: number;
  /** `failed` is called when it turns out to be damaged, or a moment is too much to draw. */
  readonly draw: (host: HTMLElement, failed: (error: unknown) => void) => StillPicture;
}

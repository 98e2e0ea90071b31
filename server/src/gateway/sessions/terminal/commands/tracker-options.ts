import type { Charset } from '@sallyport/contract';
import type { CommandRecord } from '../../../../platform/command-record.ts';

export interface TrackerOptions {
  readonly cols: number;
  readonly rows: number;
  readonly charset: Charset;
  /** True at our own prompt, which redraws whole lines. */
  readonly isOwnPrompt?: boolean;
  /** Milliseconds since the session began. */
  readonly elapsed: () => number;
  /** Name of the owner, for lines with several typists. */
  readonly owner: string;
  readonly onCommand: (command: CommandRecord) => void;
  /** Returns output as the log may have it; unchanged if absent. */
  readonly captured?: (text: string, isCut: boolean) => string;
  /** Reports lines that the screen did not show; the label has only their number. */
  readonly onHidden?: (label: string) => void;
  /** Called when the tracker has caught up after `output` or `input` returned false. */
  readonly onDrain: () => void;
}

import { type Language, type LocalText, say, type TextParams } from '@sallyport/contract';
import type { ChannelWriter } from '@sallyport/ssh';

/** Ends that need no message: the program exited, or the user left. */
export const QUIET_ENDS: ReadonlySet<string> = new Set([
  'connect_target_closed',
  'session_finished',
]);
/** Exit status after a session that we ended; same as that of `ssh` for its own errors. */
export const OUR_EXIT = 255;

/** An error whose text the SSH user reads, with further lines if it offers a choice. */
export class TextError extends Error {
  readonly text: LocalText;
  readonly params: TextParams;
  readonly lines: readonly string[];

  constructor(text: LocalText, params: TextParams = {}, lines: readonly string[] = []) {
    super(say(text, 'en', params));
    this.name = 'TextError';
    this.text = text;
    this.params = params;
    this.lines = lines;
  }

  in(language: Language): string[] {
    return [say(this.text, language, this.params), ...this.lines.map((line) => `  ${line}`)];
  }
}

/** Writes a text to the error output of a client without a terminal. */
export function tell(writer: ChannelWriter, text: string): void {
  writer.write(Buffer.from(`sallyport: ${text}\n`), true);
}

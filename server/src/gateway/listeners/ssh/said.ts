import { type Language, type LocalText, say, type TextParams } from '@sallyport/contract';

/** Why something that was asked for over SSH is not done; the person reads it, with further lines where there is a choice. */
export class Said extends Error {
  readonly text: LocalText;
  readonly params: TextParams;
  readonly lines: readonly string[];

  constructor(text: LocalText, params: TextParams = {}, lines: readonly string[] = []) {
    super(say(text, 'en', params));
    this.name = 'Said';
    this.text = text;
    this.params = params;
    this.lines = lines;
  }

  /** The lines to show. */
  in(language: Language): string[] {
    return [say(this.text, language, this.params), ...this.lines.map((line) => `  ${line}`)];
  }
}

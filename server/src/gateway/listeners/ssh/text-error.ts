import { type Language, type LocalText, say, type TextParams } from '@sallyport/contract';

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

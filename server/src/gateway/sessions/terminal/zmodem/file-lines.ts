import { type Language, say } from '@sallyport/contract';
import { MAX_SHOWN_FILES } from '../../../limits.ts';
import { shownName } from '../../files/paths.ts';
import type { PassedFile } from './conversation.ts';
import { words } from './words.ts';

/** Lines that wait for the end of a transfer: its files, and messages that came meanwhile. */
export class FileLines {
  private readonly language: Language;
  private readonly show: (line: string) => void;
  private lines: string[] = [];
  private files = 0;

  constructor(language: Language, show: (line: string) => void) {
    this.language = language;
    this.show = show;
  }

  add(line: string): void {
    if (this.lines.length < 2 * MAX_SHOWN_FILES) this.lines.push(line);
  }

  /** Says that a transfer was cancelled, where no line of a file does. */
  addCancelled(): void {
    if (this.files === 0) this.add(say(words.cancelled, this.language));
  }

  addFile(operation: 'upload' | 'download', { name, size, isWhole }: PassedFile): void {
    this.files++;
    if (this.files > MAX_SHOWN_FILES) return;
    const text = isWhole ? words[operation] : words[`${operation}Failed`];
    this.add(say(text, this.language, { name: shownName(name), size }));
  }

  /** Shows all lines. */
  flush(): void {
    const count = this.files - MAX_SHOWN_FILES;
    if (count > 0) this.lines.push(say(words.more, this.language, { count }));
    this.files = 0;
    for (const line of this.lines.splice(0)) this.show(line);
  }
}

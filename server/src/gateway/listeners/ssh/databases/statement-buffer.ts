import { type DatabaseType, MAX_SCRIPT } from '@sallyport/contract';
import { endsStatement } from '../../../protocols/sql/statements.ts';

/** The result of a typed line. */
export type PromptCommand =
  | { readonly kind: 'nothing' | 'leave' | 'help' | 'tables' | 'too_long' }
  | { readonly kind: 'columns'; readonly table: string }
  /** A command of another client, which is no SQL. */
  | { readonly kind: 'unknown'; readonly name: string }
  | { readonly kind: 'run'; readonly text: string };

/** Characters of an unknown command in the answer. */
const MAX_NAME = 32;

const NOTHING: PromptCommand = { kind: 'nothing' };

/** Collects lines until they form complete statements. */
export class StatementBuffer {
  private readonly type: DatabaseType;
  private text = '';

  constructor(type: DatabaseType) {
    this.type = type;
  }

  /** True if a statement has begun. */
  get isOpen(): boolean {
    return this.text !== '';
  }

  /** Discards the collected lines. */
  clear(): void {
    this.text = '';
  }

  add(line: string): PromptCommand {
    const words = line.trim().replace(/;$/, '').trim().toLowerCase();
    if (words === '\\q') return { kind: 'leave' };
    if (words === '\\c') {
      this.clear();
      return NOTHING;
    }
    if (!this.isOpen) {
      const command = this.commandOf(words, line);
      if (command) return command;
    }
    if (this.type === 'redis') return { kind: 'run', text: line.trim() };
    const text = this.isOpen ? `${this.text}\n${line}` : line;
    this.clear();
    if (Buffer.byteLength(text) > MAX_SCRIPT) return { kind: 'too_long' };
    // Only a line with a semicolon can end a statement.
    if (
      line.includes(';') &&
      endsStatement(text, this.type === 'postgresql' ? 'postgresql' : 'mysql')
    )
      return { kind: 'run', text };
    this.text = text;
    return NOTHING;
  }

  private commandOf(words: string, line: string): PromptCommand | undefined {
    if (words === '') return NOTHING;
    if (words === 'quit' || words === 'exit') return { kind: 'leave' };
    if (words === '\\?' || words === '\\h' || words === 'help') return { kind: 'help' };
    if (this.type === 'redis') return undefined;
    if (words === '\\d') return { kind: 'tables' };
    if (words.startsWith('\\d '))
      return { kind: 'columns', table: line.trim().slice(3).replace(/;$/, '').trim() };
    const [name] = /^\\\S*/.exec(line.trim()) ?? [];
    return name === undefined ? undefined : { kind: 'unknown', name: name.slice(0, MAX_NAME) };
  }
}

import {
  DATABASE_TYPES,
  type Language,
  type LocalText,
  MAX_SCRIPT,
  say,
  type TextParams,
} from '@sallyport/contract';
import type { ServerChannel } from '@sallyport/ssh';
import type { GatewayPorts } from '../../../ports.ts';
import type { TerminalSize } from '../../../protocols/connector.ts';
import type { DatabaseDriver } from '../../../protocols/drivers/driver.ts';
import { problemOf } from '../../../refusal.ts';
import type { DatabaseSession } from '../../../sessions/database/database-session.ts';
import { QueryRunner } from '../../../sessions/database/query-runner.ts';
import { drawTable, plainText } from '../table.ts';
import { LineEditor } from '../typing/line-editor.ts';
import { type Answer, isAnswer, undoLine } from './answers.ts';
import { Pager, placeLines, resultLines } from './result-pages.ts';
import { SchemaNames } from './schema-names.ts';
import { type PromptCommand, StatementBuffer } from './statement-buffer.ts';
import { words } from './words.ts';

/** Maximum rows and characters of a result drawn as one table. */
const ROWS_AT_ONCE = 200;
const CHARACTERS_AT_ONCE = 256 * 1024;
const RED = '\x1b[31m';
const PLAIN = '\x1b[0m';

export interface DatabasePromptParts {
  readonly session: DatabaseSession;
  readonly driver: DatabaseDriver;
  readonly channel: ServerChannel;
  readonly show: (text: string) => void;
  readonly size: () => TerminalSize;
  readonly language: Language;
  readonly folder: string | undefined;
  readonly ports: Pick<GatewayPorts, 'undoScripts' | 'log'>;
  readonly command: string | undefined;
  /** Aborts when the session has ended. */
  readonly signal: AbortSignal;
}

/** A SQL prompt in a client's terminal: reads statements, runs them and shows their results. */
export class DatabasePrompt {
  private readonly parts: DatabasePromptParts;
  private readonly editor: LineEditor;
  private readonly runner: QueryRunner;
  private readonly buffer: StatementBuffer;
  private readonly schema: SchemaNames;
  private answers: Answer[] = [];
  private run = 0;
  private isWell = true;
  private stopListening: (() => void) | undefined;

  constructor(parts: DatabasePromptParts) {
    const { session, driver, channel, show, size, folder, signal, ports } = parts;
    this.parts = parts;
    this.schema = new SchemaNames(parts);
    this.editor = new LineEditor({
      channel,
      show,
      columns: () => size().cols,
      complete: (text) => this.schema.complete(text),
      signal,
    });
    this.runner = new QueryRunner({
      session,
      driver,
      folder,
      ports,
      send: (message) => {
        if (isAnswer(message)) this.answers.push(message);
      },
    });
    this.buffer = new StatementBuffer(this.database.type);
    void session.ended.then(() => this.runner.close());
  }

  /** Closes the connection of an ended session. Cancels and logs a running statement. */
  readonly disconnect = (): void => this.runner.disconnect();

  /** Runs until the user leaves or the session ends. Returns true if all statements succeeded. */
  async work(): Promise<boolean> {
    const { session, ports, command } = this.parts;
    try {
      if (command === undefined) await this.ask();
      else await this.runText(command);
      session.end('session_finished');
    } catch (error) {
      if (!session.isOver) {
        ports.log.error({ session: session.row.id, err: error }, 'the prompt of a database failed');
        session.end(problemOf(error).code);
      }
    }
    return this.isWell;
  }

  /** Returns unread type-ahead. */
  takeTyped(): string {
    return this.editor.takeTyped();
  }

  /**
   * Leaves the keys to a question while a statement waits for the answer. Returns a function to
   * take them back.
   */
  holdBreak(): () => void {
    this.stopListening?.();
    return () => {
      // If the session has ended, its keys belong to the menu.
      if (!this.parts.signal.aborted) this.listen();
    };
  }

  private async ask(): Promise<void> {
    const { session, signal } = this.parts;
    const { type } = this.database;
    const label = DATABASE_TYPES.find(({ value }) => value === type)?.label.en ?? type;
    this.say(type === 'redis' ? words.greetingRedis : words.greeting, {
      name: plainText(session.row.grant.asset.hostname),
      type: label,
    });
    if (session.isReadOnly) this.say(words.readOnly);
    while (!signal.aborted) {
      const line = await this.editor.read(
        () => this.prompt,
        true,
        () => this.buffer.clear(),
      );
      if (line === undefined) return;
      const command = this.buffer.add(line);
      if (command.kind === 'leave') return;
      await this.execute(command);
    }
  }

  private async execute(command: PromptCommand): Promise<void> {
    if (command.kind === 'help') this.help();
    else if (command.kind === 'too_long') this.say(words.tooLong, { bytes: MAX_SCRIPT });
    else if (command.kind === 'unknown') this.say(words.unknown, { name: command.name });
    else if (command.kind === 'tables') await this.tables();
    else if (command.kind === 'columns') await this.columns(command.table);
    else if (command.kind === 'run') await this.runText(command.text);
  }

  private get database(): NonNullable<DatabaseSession['row']['grant']['database']> {
    const { database } = this.parts.session.row.grant;
    if (!database) throw new Error('the session is none of a database');
    return database;
  }

  /** The prompt, with a mark for an open or failed transaction, as in `psql`. */
  private get prompt(): string {
    const { transaction } = this.parts.driver;
    const name = plainText(this.database.name ?? this.parts.session.row.grant.asset.hostname).slice(
      0,
      30,
    );
    const mark = transaction === 'open' ? '*' : transaction === 'failed' ? '!' : '';
    return this.buffer.isOpen
      ? `${' '.repeat(Math.max(0, name.length - 1))}-> `
      : `${name}${mark}> `;
  }

  private async runText(text: string): Promise<void> {
    this.run += 1;
    this.listen();
    try {
      await this.untilOver(this.runner.run(this.run, text));
    } finally {
      this.stopListening?.();
      this.stopListening = undefined;
    }
    for (const answer of this.answers.splice(0)) {
      if (this.parts.signal.aborted) return;
      if (answer.type === 'failed') this.failed(answer, text);
      else if (answer.type === 'undo') this.lines([undoLine(answer, this.parts.language)]);
      else await this.answered(answer);
    }
  }

  /** Stops waiting at the end of the session: a lost connection may never finish its statement. */
  private async untilOver(work: Promise<void>): Promise<void> {
    const { signal } = this.parts;
    const over = new Promise<void>((done) =>
      signal.addEventListener('abort', () => done(), { once: true }),
    );
    await Promise.race([work, over]);
    if (signal.aborted) work.catch(() => undefined);
  }

  private listen(): void {
    this.stopListening = this.editor.listenForBreak(() => {
      void this.runner.cancel();
    });
  }

  private failed(
    { message, position }: Extract<Answer, { readonly type: 'failed' }>,
    text: string,
  ): void {
    this.isWell = false;
    const lines = [`${RED}${plainText(message)}${PLAIN}`];
    if (position !== null) lines.push(...placeLines(text, position, this.parts.size().cols));
    this.lines(lines);
  }

  private async answered({
    result,
    rows,
    milliseconds,
    is_cut: isCut,
  }: Extract<Answer, { readonly type: 'answered' }>): Promise<void> {
    if (result !== null) await this.result(result);
    if (isCut) this.say(words.isCut);
    this.say(rows === null ? words.done : words.rows, { rows: rows ?? 0, milliseconds });
  }

  private async result(id: number): Promise<void> {
    const stored = this.runner.result(id);
    if (!stored) {
      this.say(words.gone);
      return;
    }
    const { columns, spool } = stored;
    const names = columns.map(({ name }) => name);
    const pager = new Pager({
      editor: this.editor,
      show: this.parts.show,
      rows: () => this.parts.size().rows,
      question: say(words.more, this.parts.language),
    });
    if (spool.rows === 0) await pager.page(resultLines(names, [], this.parts.size().cols, 1));
    for (let from = 0; from < spool.rows; ) {
      const rows = await spool.read(from, ROWS_AT_ONCE, CHARACTERS_AT_ONCE);
      const wantsMore = await pager.page(
        resultLines(names, rows, this.parts.size().cols, from + 1),
      );
      from += rows.length;
      if (wantsMore && rows.length > 0) continue;
      if (from < spool.rows) this.say(words.notShown, { rows: spool.rows - from });
      return;
    }
  }

  private async tables(): Promise<void> {
    const { language, size } = this.parts;
    const tables = await this.schema.tables();
    if (tables.length === 0) this.say(words.noTables);
    else {
      const head = [words.schema, words.table, words.kind].map((text) => say(text, language));
      const kind = (name: string) =>
        say(name === 'view' ? words.kindView : words.kindTable, language);
      this.lines(
        drawTable(
          head,
          tables.map((table) => [table.schema, table.name, kind(table.kind)]),
          size().cols,
        ),
      );
    }
  }

  private async columns(name: string): Promise<void> {
    const { language, size } = this.parts;
    const table = await this.schema.table(name);
    if (!table) this.say(words.noTable, { name: plainText(name) });
    else {
      const rows = table.columns.map((column) => [column.name, column.type]);
      this.lines(
        drawTable(
          [say(words.column, language), say(words.columnType, language)],
          rows,
          size().cols,
        ),
      );
    }
  }

  private help(): void {
    const isRedis = this.database.type === 'redis';
    const texts = [
      ...(isRedis ? [] : [words.helpTables, words.helpColumns]),
      words.helpClear,
      words.helpTab,
      words.helpQuit,
      words.helpRecorded,
    ];
    this.lines(texts.map((text) => `  ${say(text, this.parts.language)}`));
  }

  private say(text: LocalText, params?: TextParams): void {
    this.lines([say(text, this.parts.language, params)]);
  }

  private lines(lines: readonly string[]): void {
    this.parts.show(lines.map((line) => `${line}\r\n`).join(''));
  }
}

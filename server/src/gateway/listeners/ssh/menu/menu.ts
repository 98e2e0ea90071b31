import { type Language, type LocalText, say, type TextParams } from '@sallyport/contract';
import type { TerminalSize } from '../../../protocols/connector.ts';
import type { ConnectionRequest } from '../../../sessions/dial.ts';
import type {
  GrantedAccount,
  GrantedDatabase,
  GrantedTarget,
  SshDatabases,
  SshTargets,
} from '../ports.ts';
import { offeredAccounts } from '../resolve.ts';
import { drawTable } from '../table.ts';
import type { LineEditor } from '../typing/line-editor.ts';
import { words as shared } from '../words.ts';
import { helpLines } from './help.ts';
import { words } from './words.ts';

/** Lines of the screen around a list. */
const OTHER_LINES = 8;
const MAX_PAGE = 999;
const PROMPT = 'Opt> ';
const LEAVING = new Set(['q', 'quit', 'exit']);
const MAX_COMPLETIONS = 10;

export interface MenuParts {
  readonly userId: string;
  readonly name: string;
  readonly language: Language;
  readonly targets: SshTargets;
  readonly databases: SshDatabases;
  readonly editor: LineEditor;
  readonly show: (text: string) => void;
  readonly size: () => TerminalSize;
  /** Page size from the settings: a number, `auto` or `all`. */
  readonly pageSize: () => string;
  /** Returns true while the sign-in is valid; otherwise the menu ends. */
  readonly isSignedIn: () => Promise<boolean>;
  /** Opens a session and resolves when it has ended. Shows its own errors. */
  readonly connect: (request: ConnectionRequest) => Promise<void>;
  /** Shows the session of an id or invitation until the viewer leaves. Shows its own errors. */
  readonly join: (reference: string) => Promise<void>;
  /** Runs a sharing command; undefined if the line is none. Shows its own errors. */
  readonly share: (line: string) => Promise<void> | undefined;
}

/** The filter of a list. */
interface ListFilter {
  readonly of: 'servers' | 'databases';
  readonly words: string;
  readonly node?: string | undefined;
}

interface Listed extends ListFilter {
  readonly page: number;
  readonly rows: readonly (GrantedTarget | GrantedDatabase)[];
  readonly count: number;
}

const SERVERS: ListFilter = { of: 'servers', words: '' };

/** The menu of a client that names no server: finds servers and connects. */
export class Menu {
  private readonly parts: MenuParts;
  private listed: Listed | undefined;

  constructor(parts: MenuParts) {
    this.parts = parts;
  }

  /** Runs until the user leaves. */
  async run(): Promise<void> {
    this.help();
    for (;;) {
      const line = (await this.parts.editor.read(PROMPT))?.trim();
      if (line === undefined || LEAVING.has(line.toLowerCase())) return;
      if (!(await this.parts.isSignedIn())) return;
      await this.handle(line);
    }
  }

  private async handle(line: string): Promise<void> {
    const lower = line.toLowerCase();
    if (lower === 'h') this.help();
    else if (lower === 'p') await this.list(SERVERS, 0);
    else if (lower === 'd' || lower.startsWith('d '))
      await this.list({ of: 'databases', words: line.slice(1).trim() }, 0);
    else if (lower === 'n' || line === '') await this.turn(1);
    else if (lower === 'b') await this.turn(-1);
    else if (lower === 'g') await this.nodes();
    else if (/^g\d+$/i.test(line) && (await this.listNode(Number(line.slice(1))))) return;
    else if (lower === 'r') {
      this.listed = undefined;
      this.say(words.refreshed);
    } else if (line.startsWith('//')) {
      const { of, words: before, node } = this.listed ?? SERVERS;
      await this.list({ of, words: `${before} ${line.slice(2)}`.trim(), node }, 0);
    } else if (line.startsWith('/'))
      await this.list({ of: 'servers', words: line.slice(1).trim() }, 0);
    else if (/^join\s+\S+$/i.test(line)) await this.parts.join(line.split(/\s+/)[1] ?? '');
    else await (this.parts.share(line) ?? this.findOrConnect(line));
  }

  private async findOrConnect(line: string): Promise<void> {
    const row = /^\d{1,3}$/.test(line) ? this.listed?.rows[Number(line) - 1] : undefined;
    if (row) {
      await this.choose(row);
      return;
    }
    const { targets, databases, userId } = this.parts;
    const servers = await targets.named(userId, line);
    const matches =
      servers.length === 1
        ? { count: 1, results: servers }
        : await targets.search(userId, { words: line, limit: 2, offset: 0 });
    const [only] = matches.results;
    // A database with exactly this name, unless a server matches.
    const [database] = matches.count === 0 ? await databases.named(userId, line) : [];
    if (database) await this.choose(database);
    else if (matches.count === 1 && only) await this.choose(only);
    else await this.list({ of: 'servers', words: line }, 0);
  }

  private async turn(by: 1 | -1): Promise<void> {
    const { listed } = this;
    if (!listed) {
      await this.list(SERVERS, 0);
      return;
    }
    const page = listed.page + by;
    if (page < 0 || page * this.rowsOfPage() >= listed.count) this.say(words.lastPage);
    else await this.list(listed, page);
  }

  private async list(filter: ListFilter, page: number): Promise<void> {
    const limit = this.rowsOfPage();
    const { targets, databases, userId, size } = this.parts;
    const search = { words: filter.words, node: filter.node, limit, offset: page * limit };
    const { count, results } =
      filter.of === 'servers'
        ? await targets.search(userId, search)
        : await databases.search(userId, search);
    const { of, words: text, node } = filter;
    this.listed = { of, words: text, node, page, rows: results, count };
    if (results.length === 0) {
      this.say(words.nothing);
      return;
    }
    const head =
      of === 'servers'
        ? [words.hostname, words.ip, words.comment]
        : [words.name, words.ip, words.type, words.database, words.comment];
    const rows = results.map((row, index) => [String(index + 1), ...cellsOf(row)]);
    this.lines(
      drawTable(['ID', ...head.map((title) => say(title, this.parts.language))], rows, size().cols),
    );
    this.say(of === 'servers' ? words.caption : words.databaseCaption, {
      page: page + 1,
      pages: Math.ceil(count / limit),
      count,
    });
  }

  private async nodes(): Promise<void> {
    const nodes = await this.parts.targets.nodes(this.parts.userId, this.parts.language);
    if (nodes.length === 0) this.say(words.nothing);
    this.lines(
      nodes.map(
        ({ key, name, count }, index) =>
          `${'  '.repeat(key.split(':').length - 1)}${index + 1}.${name}(${count})`,
      ),
    );
  }

  private async listNode(number: number): Promise<boolean> {
    const node = (await this.parts.targets.nodes(this.parts.userId, this.parts.language))[
      number - 1
    ];
    if (node) await this.list({ of: 'servers', words: '', node: node.id }, 0);
    return node !== undefined;
  }

  private async choose(target: GrantedTarget | GrantedDatabase): Promise<void> {
    const { targets, databases, userId } = this.parts;
    const isServer = 'hostname' in target;
    const accounts = await (isServer ? targets : databases).accounts(userId, target.id);
    const name = isServer ? target.hostname : target.name;
    if (accounts.length === 0) {
      if (isServer) this.say(shared.accountNone, { asset: name });
      else this.say(shared.databaseNoAccount, { database: name });
      return;
    }
    const account = await this.account(offeredAccounts(accounts));
    if (!account) return;
    this.say(words.connecting, { account: account.username || account.name, asset: name });
    await this.parts.connect({
      assetId: target.id,
      systemUserId: account.id,
      ...(!isServer && { kind: 'database_app' }),
    });
  }

  private async account(accounts: readonly GrantedAccount[]): Promise<GrantedAccount | undefined> {
    if (accounts.length === 1) return accounts[0];
    const { language, editor, size } = this.parts;
    const head = ['ID', say(words.name, language), say(words.username, language)];
    const isLimited = accounts.some(({ notNow }) => notNow);
    const rows = accounts.map(({ name, username, notNow }, index) => [
      String(index + 1),
      name,
      username,
      ...(isLimited ? [notNow ? say(notNow, language) : ''] : []),
    ]);
    if (isLimited) head.push(say(words.condition, language));
    for (;;) {
      this.lines(drawTable(head, rows, size().cols));
      this.say(words.choose);
      const line = (await editor.read('ID> ', false))?.trim();
      if (line === undefined || ['q', 'b', 'quit', 'exit', 'back'].includes(line.toLowerCase()))
        return undefined;
      const chosen = accounts[Number(line) - 1];
      if (chosen) return chosen;
    }
  }

  private help(): void {
    const { language, name, size } = this.parts;
    this.lines([
      '',
      `  \x1b[1;32m${say(words.welcome, language, { name })}\x1b[0m`,
      '',
      ...helpLines(language, size().cols),
      '',
    ]);
  }

  private rowsOfPage(): number {
    const setting = this.parts.pageSize();
    if (setting === 'all') return MAX_PAGE;
    return setting === 'auto'
      ? Math.max(1, Math.min(MAX_PAGE, this.parts.size().rows - OTHER_LINES))
      : Number(setting);
  }

  private say(text: LocalText, params?: TextParams): void {
    this.lines([say(text, this.parts.language, params)]);
  }

  private lines(lines: readonly string[]): void {
    this.parts.show(lines.map((line) => `${line}\r\n`).join(''));
  }
}

const cellsOf = (row: GrantedTarget | GrantedDatabase): readonly string[] =>
  'hostname' in row
    ? [row.hostname, row.ip, row.comment]
    : [row.name, row.host, row.type, row.database, row.comment];

/** Returns hostnames with a prefix, for the Tab key. */
export async function completeHostname(
  targets: SshTargets,
  userId: string,
  text: string,
): Promise<readonly string[]> {
  const typed = text.replace(/^\/+/, '');
  if (typed === '') return [];
  const { results } = await targets.search(userId, {
    words: typed,
    limit: MAX_COMPLETIONS,
    offset: 0,
  });
  return results.map(({ hostname }) => hostname).filter((hostname) => hostname.startsWith(typed));
}

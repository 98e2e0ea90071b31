import { type Language, type LocalText, say, type TextParams } from '@sallyport/contract';
import type { TerminalSize } from '../../../protocols/connector.ts';
import type { ConnectionRequest } from '../../../sessions/dial.ts';
import type { GrantedAccount, GrantedTarget, SshTargets } from '../ports.ts';
import { offeredAccounts } from '../resolve.ts';
import { words as shared } from '../words.ts';
import type { LineEditor } from './line-editor.ts';
import { drawTable } from './table.ts';
import { words } from './words.ts';

/** Lines of the screen that are not rows of a list. */
const OTHER_LINES = 8;
const MAX_PAGE = 999;
const PROMPT = 'Opt> ';
const LEAVING = new Set(['q', 'quit', 'exit']);
const MAX_COMPLETED = 10;

/** What a menu works with. */
export interface MenuParts {
  readonly userId: string;
  readonly name: string;
  readonly language: Language;
  readonly targets: SshTargets;
  readonly editor: LineEditor;
  readonly show: (text: string) => void;
  readonly size: () => TerminalSize;
  /** The setting: a number, `auto` or `all`. */
  readonly pageSize: () => string;
  /** Whether the sign-in still is one; without it the menu ends. */
  readonly isSignedIn: () => Promise<boolean>;
  /** Opens a session and returns when it has ended. Its problems are shown. */
  readonly connect: (request: ConnectionRequest) => Promise<void>;
  /** Shows the session of an id or an invitation until the viewer leaves. Its problems are shown. */
  readonly join: (given: string) => Promise<void>;
  /** Does what a line about sharing asks for; undefined where a line is not about that. Its problems are shown. */
  readonly share: (line: string) => Promise<void> | undefined;
}

interface Listed {
  readonly words: string;
  readonly node: string | undefined;
  readonly page: number;
  readonly rows: readonly GrantedTarget[];
  readonly count: number;
}

/** The menu of a client that names no server: it finds servers, and connects. */
export class Menu {
  private readonly parts: MenuParts;
  private listed: Listed | undefined;

  constructor(parts: MenuParts) {
    this.parts = parts;
  }

  /** Works until the person leaves. */
  async run(): Promise<void> {
    this.help();
    for (;;) {
      const line = await this.parts.editor.read(PROMPT);
      if (line === undefined || LEAVING.has(line.toLowerCase())) return;
      if (!(await this.parts.isSignedIn())) return;
      await this.handle(line);
    }
  }

  private async handle(line: string): Promise<void> {
    const lower = line.toLowerCase();
    if (lower === 'h') this.help();
    else if (lower === 'p') await this.list('', undefined, 0);
    else if (lower === 'n' || line === '') await this.turn(1);
    else if (lower === 'b') await this.turn(-1);
    else if (lower === 'g') await this.nodes();
    else if (/^g\d+$/i.test(line) && (await this.listNode(Number(line.slice(1))))) return;
    else if (lower === 'r') {
      this.listed = undefined;
      this.say(words.refreshed);
    } else if (line.startsWith('//')) await this.list(`${this.listed?.words ?? ''} ${line.slice(2)}`.trim(), this.listed?.node, 0);
    else if (line.startsWith('/')) await this.list(line.slice(1).trim(), undefined, 0);
    else if (/^join\s+\S+$/i.test(line)) await this.parts.join(line.split(/\s+/)[1] ?? '');
    else await (this.parts.share(line) ?? this.findOrConnect(line));
  }

  private async findOrConnect(line: string): Promise<void> {
    const row = /^\d{1,3}$/.test(line) ? this.listed?.rows[Number(line) - 1] : undefined;
    if (row) {
      await this.choose(row);
      return;
    }
    const { targets, userId } = this.parts;
    const named = await targets.named(userId, line);
    const found = named.length === 1 ? { count: 1, results: named } : await targets.search(userId, { words: line, limit: 2, offset: 0 });
    const [only] = found.results;
    if (found.count === 1 && only) await this.choose(only);
    else await this.list(line, undefined, 0);
  }

  private async turn(by: 1 | -1): Promise<void> {
    const { listed } = this;
    if (!listed) {
      await this.list('', undefined, 0);
      return;
    }
    const page = listed.page + by;
    if (page < 0 || page * this.rowsOfPage() >= listed.count) this.say(words.lastPage);
    else await this.list(listed.words, listed.node, page);
  }

  private async list(text: string, node: string | undefined, page: number): Promise<void> {
    const limit = this.rowsOfPage();
    const { count, results } = await this.parts.targets.search(this.parts.userId, { words: text, node, limit, offset: page * limit });
    this.listed = { words: text, node, page, rows: results, count };
    if (results.length === 0) {
      this.say(words.nothing);
      return;
    }
    const { language } = this.parts;
    const head = ['ID', say(words.hostname, language), say(words.ip, language), say(words.comment, language)];
    const rows = results.map(({ hostname, ip, comment }, index) => [String(index + 1), hostname, ip, comment]);
    this.lines(drawTable(head, rows, this.parts.size().cols));
    this.say(words.caption, { page: page + 1, pages: Math.ceil(count / limit), count });
  }

  private async nodes(): Promise<void> {
    const nodes = await this.parts.targets.nodes(this.parts.userId);
    if (nodes.length === 0) this.say(words.nothing);
    this.lines(nodes.map(({ key, name, count }, index) => `${'  '.repeat(key.split(':').length - 1)}${index + 1}.${name}(${count})`));
  }

  private async listNode(number: number): Promise<boolean> {
    const node = (await this.parts.targets.nodes(this.parts.userId))[number - 1];
    if (node) await this.list('', node.id, 0);
    return node !== undefined;
  }

  private async choose(target: GrantedTarget): Promise<void> {
    const accounts = await this.parts.targets.accounts(this.parts.userId, target.id);
    if (accounts.length === 0) {
      this.say(shared.accountNone, { asset: target.hostname });
      return;
    }
    const account = await this.account(offeredAccounts(accounts));
    if (!account) return;
    this.say(words.connecting, { account: account.username || account.name, asset: target.hostname });
    await this.parts.connect({ assetId: target.id, systemUserId: account.id });
  }

  private async account(accounts: readonly GrantedAccount[]): Promise<GrantedAccount | undefined> {
    if (accounts.length === 1) return accounts[0];
    const { language, editor, size } = this.parts;
    const head = ['ID', say(words.name, language), say(words.username, language)];
    const rows = accounts.map(({ name, username }, index) => [String(index + 1), name, username]);
    for (;;) {
      this.lines(drawTable(head, rows, size().cols));
      this.say(words.choose);
      const line = await editor.read('ID> ', false);
      if (line === undefined || ['q', 'b', 'quit', 'exit', 'back'].includes(line.toLowerCase())) return undefined;
      const chosen = accounts[Number(line) - 1];
      if (chosen) return chosen;
    }
  }

  private help(): void {
    const { language, name } = this.parts;
    const lines = [words.helpSearch, words.helpList, words.helpAssets, words.helpNodes, words.helpPages, words.helpShare, words.helpJoin, words.helpRefresh];
    this.lines([
      '',
      `  \x1b[1;32m${say(words.welcome, language, { name })}\x1b[0m`,
      '',
      ...lines.map((text, index) => `    ${index + 1}) ${say(text, language)}`),
      '',
    ]);
  }

  private rowsOfPage(): number {
    const setting = this.parts.pageSize();
    if (setting === 'all') return MAX_PAGE;
    return setting === 'auto' ? Math.max(1, Math.min(MAX_PAGE, this.parts.size().rows - OTHER_LINES)) : Number(setting);
  }

  private say(text: LocalText, params?: TextParams): void {
    this.lines([say(text, this.parts.language, params)]);
  }

  private lines(lines: readonly string[]): void {
    this.parts.show(lines.map((line) => `${line}\r\n`).join(''));
  }
}

/** Hostnames that begin with a text, for the Tab key. */
export async function completeHostname(targets: SshTargets, userId: string, text: string): Promise<readonly string[]> {
  const typed = text.replace(/^\/+/, '');
  if (typed === '') return [];
  const { results } = await targets.search(userId, { words: typed, limit: MAX_COMPLETED, offset: 0 });
  return results.map(({ hostname }) => hostname).filter((hostname) => hostname.startsWith(typed));
}

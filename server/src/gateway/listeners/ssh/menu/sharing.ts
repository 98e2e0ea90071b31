import {
  INVITATION_MINUTES,
  type Language,
  type LocalText,
  say,
  type TextParams,
} from '@sallyport/contract';
import type { Person } from '../../../ports/people.ts';
import type { TerminalSize } from '../../../protocols/connector.ts';
import type { OwnTerminal, SshSharing } from '../ports.ts';
import { drawTable } from '../table.ts';
import { TextError } from '../text-error.ts';
import { words } from './words.ts';

export interface SharingParts {
  readonly sharing: SshSharing;
  readonly person: Person;
  readonly size: () => TerminalSize;
  readonly lines: (lines: readonly string[]) => void;
}

const COMMAND = /^(share|unshare)(?:\s+(\d{1,3}))?(?:\s+(type))?(?:\s+(\d{1,3}))?$/i;
const MINUTES = 15;

/** Returns true if a line of the menu is a sharing command. */
export const isSharing = (line: string): boolean => COMMAND.test(line);

/**
 * The menu commands `share`, `share 1`, `share 1 type 60` and `unshare 1`: invites colleagues into
 * the user's running terminals.
 */
export class Sharing {
  private readonly parts: SharingParts;
  private listed: readonly OwnTerminal[] = [];

  constructor(parts: SharingParts) {
    this.parts = parts;
  }

  /** Runs a command. @throws TextError, and errors with a code */
  async handle(line: string): Promise<void> {
    const [, verb, number, type, minutes] = COMMAND.exec(line) ?? [];
    const isEnding = verb?.toLowerCase() === 'unshare';
    if (number === undefined) {
      await this.list();
      return;
    }
    if (this.listed.length === 0) this.listed = await this.read();
    const chosen = this.listed[Number(number) - 1];
    if (!chosen) throw new TextError(words.noOwnSession);
    if (isEnding) await this.end(chosen);
    else
      await this.invite(
        chosen,
        type !== undefined,
        minutes === undefined ? MINUTES : Number(minutes),
      );
  }

  private read(): Promise<readonly OwnTerminal[]> {
    return this.parts.sharing.own(this.parts.person);
  }

  private async list(): Promise<void> {
    this.listed = await this.read();
    if (this.listed.length === 0) throw new TextError(words.noOwnSessions);
    const { language } = this;
    const head = [
      'ID',
      say(words.hostname, language),
      say(words.running, language),
      say(words.guests, language),
      say(words.account, language),
    ];
    const rows = this.listed.map(({ asset, account, minutes, open, guests }, index) => [
      String(index + 1),
      asset,
      say(words.minutes, language, { minutes }),
      guests.length > 0
        ? guests.join(', ')
        : open > 0
          ? say(words.openInvitations, language, { open })
          : '',
      account,
    ]);
    this.parts.lines(drawTable(head, rows, this.parts.size().cols));
    this.say(words.shareHow);
  }

  private async invite(chosen: OwnTerminal, mayType: boolean, minutes: number): Promise<void> {
    if (!INVITATION_MINUTES.includes(minutes))
      throw new TextError(words.shareMinutes, { minutes: INVITATION_MINUTES.join(', ') });
    const { secret, link } = await this.parts.sharing.invite(this.parts.person, chosen.id, {
      mayType,
      minutes,
    });
    const time = say(minutes === 0 ? words.validWhole : words.validMinutes, this.language, {
      minutes,
    });
    this.say(mayType ? words.invitedToType : words.invitedToWatch, { asset: chosen.asset, time });
    this.parts.lines(['', `  join ${secret}`, `  ${link}`, '']);
  }

  private async end({ id }: OwnTerminal): Promise<void> {
    const ended = await this.parts.sharing.end(this.parts.person, id);
    this.say(ended === 0 ? words.nothingShared : words.unshared, { ended });
  }

  private get language(): Language {
    return this.parts.person.language;
  }

  private say(text: LocalText, params?: TextParams): void {
    this.parts.lines([say(text, this.language, params)]);
  }
}

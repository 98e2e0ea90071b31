import {
  INVITATION_MINUTES,
  isUuid,
  type Language,
  type LocalText,
  say,
  type TextParams,
} from '@sallyport/contract';
import type { ChannelWriter, ServerChannel } from '@sallyport/ssh';
import { socketPair } from '../../../../platform/peers/relay.ts';
import type { Person } from '../../../ports/people.ts';
import type { TerminalSize } from '../../../protocols/connector.ts';
import type { OwnTerminal, SshContext, SshSharing } from '../ports.ts';
import { drawTable } from '../table.ts';
import { TextError } from '../text-error.ts';
import type { LineEditor } from '../typing/line-editor.ts';
import { follow } from './follow.ts';
import { words } from './words.ts';

interface VisitParts {
  readonly context: SshContext;
  readonly person: Person;
  readonly channel: ServerChannel;
  readonly writer: ChannelWriter;
  readonly editor: LineEditor;
  readonly size: () => TerminalSize;
}

/** Secret of an invitation, alone or at the end of its link. */
const SECRET = /^(?:https?:\/\/\S+#)?([\w-]{20,64})$/;

/**
 * Shows a live session on any server until the viewer leaves. The reference is a session id for a
 * watcher, or an invitation for a guest.
 * @throws TextError, Refusal and other errors with a code
 */
export async function joinSession(parts: VisitParts, reference: string): Promise<void> {
  if (isUuid(reference)) return watch(parts, reference);
  const [, secret] = SECRET.exec(reference) ?? [];
  if (secret === undefined) throw new TextError(words.noSession);
  return visit(parts, secret);
}

async function watch(parts: VisitParts, sessionId: string): Promise<void> {
  const { context, person } = parts;
  const { userId, loginId = '', remoteAddr, language } = person;
  const live = await context.ssh.sharing.live(sessionId);
  const viewer = live && {
    userId,
    loginId,
    remoteAddr,
    language,
    organizationId: live.organizationId,
    redraws: true,
  };
  if (!viewer || !(await context.ports.access.mayWatch(viewer)))
    throw new TextError(words.noSession);
  if (!live.hasTerminal) throw new TextError(words.noTerminal);
  const { near, far } = await socketPair();
  context.visits.watch(far, sessionId, viewer);
  parts.writer.write(Buffer.from(`${say(words.watching, language)}\r\n`));
  await follow(near, { ...parts, language, isGuest: false, typedAhead: parts.editor.takeTyped() });
}

async function visit(parts: VisitParts, secret: string): Promise<void> {
  const { context, person } = parts;
  const { loginId = '', language } = person;
  const { invitation, session, user, asset } = await context.ssh.sharing.accept(person, secret);
  const { near, far } = await socketPair();
  context.visits.guest(far, session, { invitation, person: { ...person, loginId }, redraws: true });
  parts.writer.write(Buffer.from(`${say(words.visiting, language, { user, asset })}\r\n`));
  await follow(near, { ...parts, language, isGuest: true, typedAhead: parts.editor.takeTyped() });
}

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

import { type Language, say } from '@sallyport/contract';
import type { ChannelWriter, ServerChannel } from '@sallyport/ssh';
import { gone } from '../open-for.ts';
import { words } from './words.ts';

/** Asks a user at a terminal for input that a session needs before it opens. */
export class TerminalQuestions {
  private readonly channel: ServerChannel;
  private readonly language: Language;
  private readonly show: (text: string) => void;

  constructor(channel: ServerChannel, writer: ChannelWriter, language: Language) {
    this.channel = channel;
    this.language = language;
    this.show = (text) => void writer.write(Buffer.from(text));
  }

  /** Asks for the account at the target. Rejects when the user cancels. */
  async credentials(
    username: string,
    reason: 'manual' | 'rejected',
  ): Promise<{ username: string; password: string }> {
    if (reason === 'rejected') this.show(`${say(words.rejected, this.language)}\r\n`);
    const account =
      username ||
      (await readLine(this.channel, {
        prompt: `${say(words.usernameAsked, this.language)}: `,
        show: this.show,
      }));
    const password = await readLine(this.channel, {
      prompt: `${say(words.passwordAsked, this.language, { account })}: `,
      show: this.show,
      isHidden: true,
    });
    return { username: account, password };
  }

  /** Asks for a code of the second factor. Rejects when the user cancels. */
  factor(again: boolean): Promise<string> {
    this.show(`${say(again ? words.factorWrong : words.factorAsked, this.language)}\r\n`);
    return readLine(this.channel, { prompt: '[MFA auth]: ', show: this.show });
  }
}

const MAX_LINE = 1024;
const BACKSPACE = '\b \b';

export interface LineQuestion {
  readonly prompt: string;
  /** Prints in the client's terminal. */
  readonly show: (text: string) => void;
  /** Reads without echo, for passwords. */
  readonly isHidden?: boolean;
  readonly signal?: AbortSignal;
}

/**
 * Reads one line in a client's terminal. Rejects when the user cancels or leaves, or `signal`
 * aborts.
 */
export function readLine(
  channel: ServerChannel,
  { prompt, show, isHidden = false, signal }: LineQuestion,
): Promise<string> {
  show(prompt);
  return new Promise((done, failed) => {
    let line = '';
    const finish = (answer: string | undefined, rest: Buffer) => {
      channel.off('data', take);
      channel.off('close', leave);
      channel.off('end', leave);
      signal?.removeEventListener('abort', leave);
      channel.pause();
      if (rest.length > 0) channel.unshift(rest);
      show('\r\n');
      if (answer === undefined) failed(gone());
      else done(answer);
    };
    const leave = () => finish(undefined, Buffer.alloc(0));
    const take = (chunk: Buffer) => {
      const decoded = chunk.toString('utf8');
      for (const [index, character] of [...decoded].entries()) {
        const rest = () => Buffer.from([...decoded].slice(index + 1).join(''));
        if (character === '\r' || character === '\n') return finish(line, rest());
        if (character === '\u0003' || character === '\u0004') return finish(undefined, rest());
        if (character === '\u007f' || character === '\b') {
          if (line !== '' && !isHidden) show(BACKSPACE);
          line = [...line].slice(0, -1).join('');
        } else if (character >= ' ' && line.length < MAX_LINE) {
          line += character;
          if (!isHidden) show(character);
        }
      }
    };
    channel.on('data', take);
    channel.once('close', leave);
    channel.once('end', leave);
    signal?.addEventListener('abort', leave);
    channel.resume();
  });
}

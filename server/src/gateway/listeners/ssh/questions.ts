import { type Language, say } from '@sallyport/contract';
import type { ChannelWriter, ServerChannel } from '@sallyport/ssh';
import { readLine } from './line-reader.ts';
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

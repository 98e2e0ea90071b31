import {
  APPROVAL_REASON_MAX,
  type ApprovalProgress,
  type Language,
  say,
} from '@sallyport/contract';
import type { ChannelWriter, ServerChannel } from '@sallyport/ssh';
import type { ExpectedAnswer } from '../../ports/guard.ts';
import { withoutControls } from '../../sessions/terminal/notice-line.ts';
import { sayExpected, TypedAnswer } from '../../sessions/terminal/typed-answer.ts';
import { gone } from '../open-for.ts';
import { sayWaits, words } from './words.ts';

/** Asks a user at a terminal for input that a session needs before it opens. */
export class TerminalQuestions {
  private readonly channel: ServerChannel;
  private readonly language: Language;
  private readonly show: (text: string) => void;
  private stopReading: (() => void) | undefined;

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

  /** Asks why the user connects, until there is an answer. Ctrl-C then withdraws the request. */
  async reason(): Promise<{ reason: string; withdrawn: AbortSignal }> {
    this.show(`${say(words.reasonAsked, this.language)}\r\n`);
    let reason = '';
    while (reason === '') {
      const line = await readLine(this.channel, {
        prompt: `${say(words.reasonPrompt, this.language)}: `,
        show: this.show,
      });
      reason = withoutControls(line).trim().slice(0, APPROVAL_REASON_MAX);
    }
    return { reason, withdrawn: this.withdrawal() };
  }

  /**
   * Says that the connection waits, or for which stage. Keys other than Ctrl-C are dropped until it
   * is decided.
   */
  waits(progress?: ApprovalProgress): void {
    this.show(`${sayWaits(this.language, progress)}\r\n`);
  }

  /** Stops reading Ctrl-C. */
  decided(): void {
    this.stopReading?.();
    this.stopReading = undefined;
  }

  private withdrawal(): AbortSignal {
    const controller = new AbortController();
    const withdraw = () => controller.abort(gone());
    const take = (chunk: Buffer) => {
      if (chunk.includes(INTERRUPT)) withdraw();
    };
    this.stopReading = listen(this.channel, take, withdraw, undefined);
    return controller.signal;
  }
}

const MAX_LINE = 1024;
const INTERRUPT = 0x03;
/** Maximum bytes of keys that came before an answer. */
const MAX_EARLY = 64 * 1024;
const BACKSPACE = '\b \b';

export interface LineQuestion {
  readonly prompt: string;
  /** Prints in the client's terminal. */
  readonly show: (text: string) => void;
  /** Reads without echo, for passwords. */
  readonly isHidden?: boolean;
  readonly signal?: AbortSignal;
}

/** Takes the keys of a client until it leaves or `signal` aborts. Returns a function to stop. */
function listen(
  channel: ServerChannel,
  take: (chunk: Buffer) => void,
  leave: () => void,
  signal: AbortSignal | undefined,
): () => void {
  channel.on('data', take);
  channel.once('close', leave);
  channel.once('end', leave);
  signal?.addEventListener('abort', leave);
  channel.resume();
  return () => {
    channel.off('data', take);
    channel.off('close', leave);
    channel.off('end', leave);
    signal?.removeEventListener('abort', leave);
    channel.pause();
  };
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
      stop();
      if (rest.length > 0) channel.unshift(rest);
      show('\r\n');
      if (answer === undefined) failed(gone());
      else done(answer);
    };
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
    const stop = listen(channel, take, () => finish(undefined, Buffer.alloc(0)), signal);
  });
}

export interface RuleQuestion extends Pick<LineQuestion, 'show' | 'signal'> {
  readonly expects: ExpectedAnswer;
  readonly language: Language;
}

/**
 * Reads the answer to a question of a rule. Keys typed before the user could read the question stay
 * in the channel. Rejects when the user leaves or `signal` aborts.
 */
export function readAnswer(
  channel: ServerChannel,
  { expects, language, show, signal }: RuleQuestion,
): Promise<boolean> {
  show(sayExpected(expects, language));
  return new Promise((done, failed) => {
    const early: Buffer[] = [];
    let earlyBytes = 0;
    const finish = (isConfirmed: boolean | undefined) => {
      stop();
      if (earlyBytes > 0) channel.unshift(Buffer.concat(early));
      show('\r\n');
      if (isConfirmed === undefined) failed(gone());
      else done(isConfirmed);
    };
    const answer = new TypedAnswer(expects, show, finish);
    const take = (chunk: Buffer) => {
      if (answer.take(chunk)) return;
      early.push(chunk);
      earlyBytes += chunk.length;
      if (earlyBytes > MAX_EARLY) channel.pause();
    };
    const stop = listen(channel, take, () => finish(undefined), signal);
  });
}

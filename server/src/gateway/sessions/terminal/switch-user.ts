import { type Charset, SWITCH_NAME } from '@sallyport/contract';
import { decodeText, encodeText } from '../../charsets.ts';
import type { SwitchTarget } from '../../ports.ts';
import type {
  Connection,
  ShellRequest,
  TargetEvents,
  TargetShell,
} from '../../protocols/connector.ts';
import { Refusal } from '../../refusal.ts';

/** Time for the whole switch: `su` waits some seconds after a wrong password. */
const SWITCH_MS = 20_000;
/** Without output for this time, a target waits for input or has nothing more to say. */
const QUIET_MS = 500;
/** Maximum output of a switch, which may include a message of the day. */
const MAX_OUTPUT = 256 * 1024;
/** Bytes at both ends of the output after our last line that decide what follows. */
const DECISIVE = 2048;

const PASSWORD_PROMPT = /(?:password|passcode|密码|口令)[^\r\n]{0,80}[:：] ?$/i;
/** The prompt of a network device before and after `enable`. */
const DEVICE_PROMPT = /[>#\]] ?$/;
const RAISED_PROMPT = /# ?$/;
/** Refusals of network devices. `su` and `sudo` end, or ask again. */
const REFUSED =
  /^(?:% ?(?:bad|access|error|no |invalid|unknown|unrecognized)|error:)|access denied|incorrect password|authentication fail/im;
// biome-ignore lint/suspicious/noControlCharactersInRegex: prompts may have colors and titles
const SEQUENCES = /\u001b\[[0-9;?]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/g;

interface SwitchParts {
  readonly openShell: NonNullable<Connection['openShell']>;
  readonly request: ShellRequest;
  readonly events: TargetEvents;
}

/** Commands that open a shell of another user. The name is one word: see `SWITCH_NAME`. */
const COMMANDS = {
  // In English, so that the prompt is known. Only `su` of util-linux can pass the language on.
  su: (username: string) =>
    `env LC_ALL=C sh -c 'case $(su --help 2>&1) in *-whitelist-*) exec su -w LANG - ${username};; esac; exec su - ${username}'`,
  sudo: (username: string) => `sudo -p 'Password: ' -i -u ${username}`,
} as const;

/**
 * Opens a shell as another account of the target. Answers the question for its password. Output is
 * shown when the switch has succeeded, and dropped otherwise.
 * @throws Refusal
 */
export async function openAs(account: SwitchTarget, parts: SwitchParts): Promise<TargetShell> {
  const { username, method, from } = account;
  const { openShell, request, events } = parts;
  const { charset = 'utf8' } = request;
  const commandOf = method === 'enable' || method === 'super' ? undefined : COMMANDS[method];
  const failed = new Refusal('connect_switch_failed', {
    account: from,
    target: commandOf ? username : method,
  });
  if (commandOf && !SWITCH_NAME.test(username)) throw failed;
  const dialog = new SwitchDialog(account, { isDevice: commandOf === undefined, charset }, failed);
  let isOpen = false;
  const shell = await openShell(
    { ...request, command: commandOf?.(username) },
    {
      onData: (chunk) => (isOpen ? events.onData(chunk) : dialog.read(chunk)),
      onExit: (exit) => isOpen && events.onExit?.(exit),
      onEnd: (how, message) => {
        if (isOpen) events.onEnd(how, message);
        else dialog.fail(how === 'closed' ? failed : new Refusal('connect_target_lost'));
      },
    },
  );
  try {
    const output = await dialog.with((text) => {
      const bytes = encodeText(text, charset);
      if (shell.writeUnseen) shell.writeUnseen(bytes);
      else shell.write(bytes);
    });
    isOpen = true;
    events.onData(output);
    return shell;
  } catch (error) {
    shell.close();
    throw error;
  }
}

/** Reads what a target writes during a switch, and answers it. */
class SwitchDialog {
  private readonly account: SwitchTarget;
  private readonly isDevice: boolean;
  private readonly charset: Charset;
  private readonly failed: Refusal;
  private readonly outcome = Promise.withResolvers<Buffer>();
  private readonly chunks: Buffer[] = [];
  private bytes = 0;
  /** The first and the last bytes of the output after our last line. */
  private head: Buffer = Buffer.alloc(0);
  private tail: Buffer = Buffer.alloc(0);
  private step: 'beginning' | 'asked' | 'answered';
  private write: ((text: string) => void) | undefined;
  private quiet: NodeJS.Timeout | undefined;

  constructor(
    account: SwitchTarget,
    { isDevice, charset }: { readonly isDevice: boolean; readonly charset: Charset },
    failed: Refusal,
  ) {
    this.charset = charset;
    this.account = account;
    this.isDevice = isDevice;
    this.failed = failed;
    this.step = isDevice ? 'beginning' : 'asked';
    // The shell may end before `with` waits.
    this.outcome.promise.catch(() => undefined);
  }

  /** Answers with `write`. Returns the output when the account has changed. @throws Refusal */
  async with(write: (text: string) => void): Promise<Buffer> {
    this.write = write;
    const timer = setTimeout(() => this.fail(this.failed), SWITCH_MS);
    this.look();
    try {
      return await this.outcome.promise;
    } finally {
      clearTimeout(timer);
      clearTimeout(this.quiet);
    }
  }

  read(chunk: Buffer): void {
    this.chunks.push(chunk);
    this.bytes += chunk.length;
    if (this.head.length < DECISIVE)
      this.head = Buffer.concat([this.head, chunk]).subarray(0, DECISIVE);
    this.tail = Buffer.concat([this.tail, chunk]).subarray(-DECISIVE);
    if (this.bytes > MAX_OUTPUT) this.fail(this.failed);
    else if (this.write) this.look();
  }

  fail(reason: Refusal): void {
    clearTimeout(this.quiet);
    this.outcome.reject(reason);
  }

  private text(output: Buffer): string {
    return decodeText(output, this.charset).replace(SEQUENCES, '');
  }

  private look(): void {
    const { password } = this.account;
    clearTimeout(this.quiet);
    if (this.step === 'asked' && PASSWORD_PROMPT.test(this.text(this.tail))) {
      if (password === undefined) this.fail(this.failed);
      else this.say('answered', password);
      return;
    }
    // A target that repeats the password would show it.
    const isEcho = this.step === 'answered' && password && this.answer.startsWith(password);
    if (isEcho) this.fail(this.failed);
    else this.quiet = setTimeout(() => this.decide(), QUIET_MS);
  }

  /** The beginning of the output after our last line. */
  private get answer(): string {
    return this.text(this.head).trim();
  }

  private say(step: 'asked' | 'answered', line: string): void {
    this.step = step;
    this.head = Buffer.alloc(0);
    this.tail = this.head;
    this.write?.(`${line}\r`);
  }

  /** The target is quiet: it waits, or the account has changed. */
  private decide(): void {
    const { step, account } = this;
    const last = this.text(this.tail);
    if (last.trim() === '') return;
    const isRaised = RAISED_PROMPT.test(last);
    if (step === 'beginning' && !isRaised) {
      if (DEVICE_PROMPT.test(last)) this.say('asked', account.method);
      return;
    }
    const isRefused = PASSWORD_PROMPT.test(last) || (this.isDevice && REFUSED.test(last));
    const isLeft = account.method === 'enable' && !isRaised;
    // The rest of the password may follow.
    const isPart = step === 'answered' && account.password?.startsWith(this.answer);
    if (isRefused || isLeft || isPart) this.fail(this.failed);
    else this.outcome.resolve(Buffer.concat(this.chunks));
  }
}

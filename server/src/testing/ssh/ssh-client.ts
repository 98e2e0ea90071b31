import { once } from 'node:events';
import { type Client, type ClientChannel, ssh2 } from '@sallyport/ssh';
import type { SshCall, SshCalls, SshResult, SshShell } from './ssh-calls.ts';

const FAILED = 255;
/** The supported options of OpenSSH. */
const TERMINAL = '-tt';
const NO_TERMINAL = '-T';

/**
 * An SSH client in this process for a listener on loopback. Tests of OpenSSH itself use
 * `openSshClients`.
 */
export function sshClient(port: number): SshCalls {
  const clients = new Set<Client>();
  const start = (call: SshCall) => {
    const running = new RunningClient(port, call);
    clients.add(running.client);
    running.client.once('close', () => clients.delete(running.client));
    return running;
  };
  return {
    async run(call) {
      const running = start(call);
      const { until, input = '' } = call;
      void running.send(input, until === undefined);
      if (until)
        running.onOutput(() => {
          if (until.test(running.output.toString('latin1'))) running.endInput();
        });
      return running.result();
    },
    shell: (call): SshShell => {
      const { options = [] } = call;
      const terminal = options.includes(NO_TERMINAL) ? [] : [TERMINAL];
      const running = start({ ...call, options: [...options, ...terminal] });
      return {
        type: (text) => void running.send(text, false),
        onOutput: (take) => running.onOutput(take),
        ended: running.result().then(({ code }) => code),
        kill: () => running.client.destroy(),
      };
    },
    stop: async () => {
      for (const client of clients) client.destroy();
    },
  };
}

class RunningClient {
  readonly client = new ssh2.Client();
  output: Buffer = Buffer.alloc(0);
  private errors = '';
  private code: number | null = FAILED;
  private readonly takers: ((chunk: Buffer) => void)[] = [];
  private readonly closed: Promise<unknown>;
  private readonly channel: Promise<ClientChannel | undefined>;

  constructor(port: number, call: SshCall) {
    const { login, password = '' } = call;
    const { client } = this;
    this.closed = once(client, 'close').catch(() => undefined);
    client.on('error', ({ message }) => this.complain(message));
    client.on('banner', (text) => this.complain(text));
    client.on('keyboard-interactive', (name, instructions, _language, prompts, finish) => {
      if (name || instructions) this.complain(`${name}\n${instructions}`);
      finish(prompts.map(({ prompt }) => answerTo(prompt, call)));
    });
    this.channel = new Promise((settle) => {
      client.once('close', () => settle(undefined));
      client.once('ready', () => this.open(call, settle));
    });
    client.connect({
      host: '127.0.0.1',
      port,
      username: login,
      password,
      tryKeyboard: true,
      readyTimeout: 0,
      authHandler: ['none', 'keyboard-interactive', 'password'],
    });
  }

  onOutput(take: (chunk: Buffer) => void): void {
    this.takers.push(take);
  }

  async send(input: Buffer | string, isAll: boolean): Promise<void> {
    const channel = await this.channel;
    if (isAll) channel?.end(input);
    else channel?.write(input);
  }

  endInput(): void {
    void this.channel.then((channel) => channel?.end());
  }

  async result(): Promise<SshResult> {
    await this.closed;
    return { code: this.code, stdout: this.output, stderr: this.errors };
  }

  private open(call: SshCall, settle: (channel: ClientChannel | undefined) => void): void {
    const { hasTerminal, env } = read(call);
    const pty = hasTerminal && { term: 'xterm-256color', cols: 80, rows: 24 };
    const take = (error: Error | undefined, channel: ClientChannel | undefined) => {
      if (error) this.complain(error.message);
      if (channel) this.follow(channel);
      else this.client.end();
      settle(channel);
    };
    if (call.command === undefined) this.client.shell(pty, { env }, take);
    else this.client.exec(call.command, { env, ...(pty && { pty }) }, take);
  }

  private follow(channel: ClientChannel): void {
    channel.on('data', (chunk: Buffer) => {
      this.output = Buffer.concat([this.output, chunk]);
      for (const take of this.takers) take(chunk);
    });
    channel.stderr.on('data', (chunk: Buffer) => {
      this.complain(chunk.toString());
      for (const take of this.takers) take(chunk);
    });
    channel.on('exit', (code: number | null) => {
      this.code = code ?? FAILED;
    });
    channel.on('error', () => undefined);
    channel.once('close', () => this.client.end());
  }

  private complain(text: string): void {
    this.errors += `${text.replaceAll('\r\n', '\n')}\n`;
  }
}

function read({ options = [], environment = {} }: SshCall): {
  hasTerminal: boolean;
  env: Record<string, string>;
} {
  const unknown = options.filter((option) => option !== TERMINAL && option !== NO_TERMINAL);
  if (unknown.length > 0) throw new Error(`this client does not know ${unknown.join(' ')}`);
  return { hasTerminal: options.includes(TERMINAL), env: { ...environment } };
}

function answerTo(prompt: string, { password = '', code = '', newPassword = '' }: SshCall): string {
  if (/MFA|Answer/.test(prompt)) return code;
  return prompt.includes('New password') ? newPassword : password;
}

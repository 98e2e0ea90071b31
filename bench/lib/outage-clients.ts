import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client as SshClient, ssh2 } from '@sallyport/ssh';
import pg from 'pg';
import { BastionTerminal } from './terminal.ts';

/** A client with an open session during an outage. */
export interface Worker {
  /** True while the connection is open. */
  readonly isOpen: boolean;
  /** Commands that the target has answered, in order; the log must have each. */
  readonly answered: readonly string[];
  /** Does one thing and waits for its answer. */
  work(number: number): Promise<void>;
  close(): Promise<void>;
}

const ANSWER_MS = 20_000;

/** Waits for a text in the output of a shell. */
class Shown {
  private text = '';
  private changed = () => {};

  add(bytes: Buffer): void {
    this.text = (this.text + bytes.toString('utf8')).slice(-16_384);
    this.changed();
  }

  async sees(wanted: string): Promise<void> {
    const late = performance.now() + ANSWER_MS;
    while (!this.text.includes(wanted)) {
      if (performance.now() > late) throw new Error(`${wanted} was not shown`);
      await Promise.race([
        new Promise<void>((done) => {
          this.changed = done;
        }),
        sleep(200),
      ]);
    }
  }
}

/** A shell, whatever it is reached through. The quotes keep the answer apart from the echo. */
function shellWorker(
  name: string,
  output: Shown,
  type: (text: string) => void,
  state: { isOpen: boolean },
  close: () => Promise<void>,
): Worker {
  const answered: string[] = [];
  return {
    answered,
    get isOpen() {
      return state.isOpen;
    },
    async work(number) {
      if (!state.isOpen) return;
      const command = `echo ${name}"-"${number}`;
      type(`${command}\r`);
      await output.sees(`${name}-${number}\r\n`);
      answered.push(command);
    },
    close,
  };
}

/** A terminal in a browser. */
export async function webWorker(
  name: string,
  url: string,
  token: string,
  ids: { asset: string; system_user: string },
): Promise<Worker> {
  const terminal = await BastionTerminal.open(url, token, ids);
  const output = new Shown();
  terminal.onOutput = (bytes) => output.add(bytes);
  const state = { isOpen: true };
  void terminal.closed.then(() => {
    state.isOpen = false;
  });
  return shellWorker(
    name,
    output,
    (text) => terminal.type(text),
    state,
    () => (state.isOpen ? terminal.close() : Promise.resolve()),
  );
}

export interface SshSignIn {
  readonly port: number;
  readonly username: string;
  readonly password: string;
}

async function connectSsh({ port, username, password }: SshSignIn): Promise<{
  client: SshClient;
  state: { isOpen: boolean };
  close: () => Promise<void>;
}> {
  const client = new ssh2.Client();
  const ready = once(client, 'ready');
  // The bench has started the bastion itself, on loopback.
  client.connect({ host: '127.0.0.1', port, username, password });
  await ready;
  const state = { isOpen: true };
  client.on('error', () => undefined);
  client.on('close', () => {
    state.isOpen = false;
  });
  const close = async () => {
    if (!state.isOpen) return;
    const closed = once(client, 'close');
    client.end();
    await closed;
  };
  return { client, state, close };
}

/** A shell of an SSH client. */
export async function sshWorker(name: string, signIn: SshSignIn): Promise<Worker> {
  const { client, state, close } = await connectSsh(signIn);
  const channel = await new Promise<NodeJS.ReadWriteStream>((done, fail) => {
    client.shell({ term: 'xterm', cols: 80, rows: 24 }, (error, opened) =>
      error ? fail(error) : done(opened),
    );
  });
  const output = new Shown();
  channel.on('data', (bytes: Buffer) => output.add(bytes));
  channel.on('close', () => {
    state.isOpen = false;
  });
  return shellWorker(name, output, (text) => channel.write(text), state, close);
}

/** Uploads of an SFTP client, one file after the other. */
export async function uploadWorker(
  name: string,
  signIn: SshSignIn,
  bytes: number,
): Promise<Worker> {
  const { client, state, close } = await connectSsh(signIn);
  const sftp = await new Promise<Parameters<Parameters<SshClient['sftp']>[0]>[1]>((done, fail) => {
    client.sftp((error, opened) => (error ? fail(error) : done(opened)));
  });
  const answered: string[] = [];
  const content = Buffer.alloc(bytes, name);
  return {
    answered,
    get isOpen() {
      return state.isOpen;
    },
    async work(number) {
      if (!state.isOpen) return;
      const path = `/tmp/sallyport-outage-${process.pid}-${name}-${number}`;
      await new Promise<void>((done, fail) =>
        sftp.writeFile(path, content, (error) => (error ? fail(error) : done())),
      );
      answered.push(path);
      await new Promise<void>((done, fail) =>
        sftp.unlink(path, (error) => (error ? fail(error) : done())),
      );
    },
    close,
  };
}

/** A client of a database. */
export async function databaseWorker(
  name: string,
  place: { port: number; user: string; password: string; database: string },
): Promise<Worker> {
  const client = new pg.Client({ host: '127.0.0.1', ...place });
  const state = { isOpen: true };
  client.on('error', () => undefined);
  client.on('end', () => {
    state.isOpen = false;
  });
  await client.connect();
  const answered: string[] = [];
  return {
    answered,
    get isOpen() {
      return state.isOpen;
    },
    async work(number) {
      if (!state.isOpen) return;
      const statement = `select '${name}-${number}'`;
      await client.query(statement);
      answered.push(statement);
    },
    close: () => client.end(),
  };
}

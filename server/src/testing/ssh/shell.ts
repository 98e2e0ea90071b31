import type { HostKeys, Login } from '../../gateway/ports.ts';
import type { TargetShell } from '../../gateway/protocols/connector.ts';
import { connectSsh } from '../../gateway/protocols/ssh/ssh.ts';
import type { SshTarget } from './ssh-target.ts';

/** Accepts all host keys, for servers that a test has just started. */
export const trustTestKeys: HostKeys = {
  verify: async () => 'first-use',
  isPinned: async () => false,
};

/** A shell on a test server, with its output. */
export interface TestShell {
  readonly shell: TargetShell;
  readonly output: () => string;
  /** Waits for text in the output since the previous call. */
  waitFor(text: string, milliseconds?: number): Promise<void>;
  /** Waits for the next output, at most for the milliseconds. */
  next(milliseconds: number): Promise<void>;
  /** Makes `waitFor` ignore earlier output. */
  forget(): void;
  /** Waits until no output has arrived for the milliseconds. */
  quiet(milliseconds?: number): Promise<void>;
  close(): void;
}

/** The key login of the test account. */
export function keyLogin(sshd: Pick<SshTarget, 'username' | 'privateKey'>): Login {
  return { username: sshd.username, privateKey: sshd.privateKey };
}

/** Opens a shell over SSH; `onData` receives every chunk first. */
export async function openTestShell(
  sshd: SshTarget,
  onData: (chunk: Buffer) => void,
  size = { cols: 80, rows: 24 },
): Promise<TestShell> {
  const connection = await connectSsh(
    {
      gateways: [],
      target: { id: 'test', name: 'test', host: sshd.host, port: sshd.port, login: keyLogin(sshd) },
      hostKeys: trustTestKeys,
      addresses: { allows: () => true },
      timeoutMs: 60_000,
      onStage: () => undefined,
    },
    new AbortController().signal,
  );
  let output = '';
  let seen = 0;
  let lastAt = performance.now();
  const waiters = new Set<() => void>();
  const shell = await connection.openShell(size, {
    onData: (chunk) => {
      output += chunk.toString('utf8');
      lastAt = performance.now();
      onData(chunk);
      for (const waiter of [...waiters]) waiter();
    },
    onEnd: () => undefined,
  });
  const next = (milliseconds: number) =>
    new Promise<void>((done) => {
      const come = () => {
        clearTimeout(timer);
        waiters.delete(come);
        done();
      };
      const timer = setTimeout(come, milliseconds);
      waiters.add(come);
    });
  return {
    shell,
    output: () => output,
    waitFor: async (text, milliseconds = 100_000) => {
      const until = performance.now() + milliseconds;
      for (;;) {
        const at = output.indexOf(text, seen);
        if (at >= 0) {
          seen = at + text.length;
          return;
        }
        const left = until - performance.now();
        if (left <= 0)
          throw new Error(
            `waited for ${JSON.stringify(text)}, got ${JSON.stringify(output.slice(seen))}`,
          );
        await next(left);
      }
    },
    next,
    forget: () => {
      seen = output.length;
    },
    quiet: async (milliseconds = 120) => {
      for (let left = milliseconds; left > 0; left = lastAt + milliseconds - performance.now())
        await next(left);
    },
    close: () => shell.close(),
  };
}

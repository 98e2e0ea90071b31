import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { CommandRecord } from '../../../../../platform/command-record.ts';
import { openTestShell, type TestShell } from '../../../../../testing/ssh/shell.ts';
import { startSshServer } from '../../../../../testing/ssh/ssh-server.ts';
import type { SshTarget } from '../../../../../testing/ssh/ssh-target.ts';
import { CommandTracker } from '../tracker.ts';

export const PROMPT = 'me@box:~$ ';
/** Maximum wait for the echo of a key; a silent key takes this long. */
const SILENT_KEY_MS = 30;

/** A shell and a tracker that reads its keys and output. */
export interface Rig {
  readonly test: TestShell;
  readonly tracker: CommandTracker;
  readonly commands: CommandRecord[];
  /** Sends keys as one chunk. */
  keys(text: string): void;
  /** Sends keys one at a time, like a user. */
  type(text: string): Promise<void>;
  enter(): Promise<void>;
  inputs(): Promise<readonly string[]>;
}

async function openRig(sshd: SshTarget, size = { cols: 80, rows: 24 }): Promise<Rig> {
  const commands: CommandRecord[] = [];
  const began = performance.now();
  const tracker = new CommandTracker({
    owner: 'Owner(owner)',
    ...size,
    charset: 'utf8',
    elapsed: () => performance.now() - began,
    onCommand: (command) => commands.push(command),
    onDrain: () => undefined,
  });
  const test = await openTestShell(sshd, (chunk) => tracker.output(chunk), size);
  await test.waitFor(PROMPT);
  await test.quiet(60);
  const keys = (text: string) => {
    const bytes = Buffer.from(text);
    tracker.input(bytes);
    test.shell.write(bytes);
  };
  return {
    test,
    tracker,
    commands,
    keys,
    type: async (text) => {
      for (const character of text) {
        const echo = test.next(SILENT_KEY_MS);
        keys(character);
        // An incomplete escape sequence has no echo, and programs soon stop waiting for its rest.
        if (!'\x1b['.includes(character)) await echo;
      }
      await test.quiet(60);
    },
    enter: async () => {
      test.forget();
      keys('\r');
      await test.waitFor(PROMPT);
      await test.quiet(60);
    },
    inputs: async () => {
      await tracker.end();
      test.close();
      return commands.map((command) => command.input);
    },
  };
}

/** Starts an SSH server for the tests of a file. `rig` opens a shell on it. */
export function trackerRig(startTarget: () => Promise<SshTarget> = startSshServer) {
  let target: SshTarget;
  beforeAll(async () => {
    target = await startTarget();
    const profile = `PS1='${PROMPT}'\nexport LANG=C.UTF-8 LC_ALL=C.UTF-8\nset -o history\n`;
    await writeFile(join(target.home, '.bashrc'), profile, { mode: 0o644 });
    await writeFile(join(target.home, '.bash_profile'), '. ~/.bashrc\n', { mode: 0o644 });
  });
  afterAll(() => target.stop());
  return {
    rig: (size?: { cols: number; rows: number }) => openRig(target, size),
    sshd: () => target,
  };
}

// Run by hostile-sessions.ts: targets with floods of terminal output, or with ordinary output.
import type { Socket } from 'node:net';
import { repeat, startHostileServer } from '../../server/src/testing/hostile/hostile-server.ts';
import { floodOf, TERMINAL_FLOODS } from '../../server/src/testing/hostile/terminal-output.ts';
import { startHostileServer as startSshTarget } from '../../server/src/testing/ssh/hostile-ssh.ts';
import { runPart } from './part-process.ts';

export interface TerminalTargetOptions {
  readonly protocol: string;
  readonly isHostile: boolean;
}

const FLOOD = 256 * 1024;

/** A way to write to the terminal of each new session. */
type Program = (send: (bytes: Buffer) => boolean, onDrain: (more: () => void) => void) => void;

const LINE = Buffer.from('an ordinary line of a program that prints its progress\r\n');
/** Prints a few screens, and then a line each second. */
const ordinary: Program = (send) => {
  for (let line = 0; line < 400; line++) send(LINE);
  const timer = setInterval(() => {
    if (!send(LINE)) clearInterval(timer);
  }, 1000);
  timer.unref();
};
const floods = TERMINAL_FLOODS.map((flood) => floodOf(flood, FLOOD));
let next = 0;
/** Sends one flood of the table for ever, as fast as the gateway reads. */
const hostile: Program = (send, onDrain) => {
  const flood = floods[next++ % floods.length] ?? LINE;
  const more = () => {
    while (send(flood));
    onDrain(more);
  };
  more();
};

const startSsh = (program: Program) =>
  startSshTarget((channel) =>
    program(
      (bytes) => channel.writable && channel.write(bytes),
      (more) => channel.once('drain', more),
    ),
  );

const startTelnet = (isHostile: boolean) =>
  startHostileServer((socket: Socket) => {
    socket.resume().write('login: ');
    let lines = 0;
    socket.on('data', () => {
      lines += 1;
      if (lines === 1) socket.write('Password: ');
      if (lines !== 2) return;
      socket.write('\r\nLast login: today\r\n$ ');
      setTimeout(() => {
        if (isHostile) repeat(socket, floods[next++ % floods.length] ?? LINE);
        else
          ordinary(
            (bytes) => socket.writable && socket.write(bytes),
            () => undefined,
          );
      }, 500);
    });
  });

runPart(async ({ protocol, isHostile }: TerminalTargetOptions) => {
  const program = isHostile ? hostile : ordinary;
  const { port } = await (protocol === 'ssh' ? startSsh(program) : startTelnet(isHostile));
  return { port };
});

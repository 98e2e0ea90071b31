import { afterEach, describe, expect, it } from 'vitest';
import { gatewayRig } from '../testing/gateway/gateway-rig.ts';
import { grantFor } from '../testing/gateway/memory-ports.ts';
import { floodOf, TERMINAL_FLOODS } from '../testing/hostile/terminal-output.ts';
import { startDevice } from '../testing/hosts/device.ts';
import { startHostileServer } from '../testing/ssh/hostile-ssh.ts';

const rig = gatewayRig();
const FLOOD = 100_000;
/** Ends any sequence, and restores the screen. */
const END = '\x18\x1b\\\x1b[!p\x1bc';
/** A mode that programs switch often: the emulator interprets the output around each switch. */
const SWITCH = '\x1b[?2004l';

let stop: () => Promise<void>;
afterEach(() => stop());

/** Writes to a terminal, and reads what its user types. */
interface Line {
  write(bytes: Buffer | string): unknown;
  onTyped(take: (typed: Buffer) => void): void;
}

/** A shell whose commands are the names of floods; others are printed again. */
function floodingShell({ write, onTyped }: Line): void {
  let line = '';
  write('ready> ');
  onTyped((typed) => {
    line += typed.toString();
    if (!line.includes('\r')) return;
    const command = line.replaceAll('\0', '').trim();
    line = '';
    const flood = TERMINAL_FLOODS.find(({ name }) => name === command);
    const output = flood
      ? Buffer.concat([Buffer.from(SWITCH), floodOf(flood, FLOOD), Buffer.from(END)])
      : `${command}\r\n`;
    write(Buffer.concat([Buffer.from(`${command}\r\n`), Buffer.from(output)]));
    write('ready> ');
  });
}

async function startTarget(protocol: 'ssh' | 'telnet'): Promise<number> {
  const target =
    protocol === 'ssh'
      ? await startHostileServer((channel) =>
          floodingShell({
            write: (bytes) => channel.write(bytes),
            onTyped: (take) => channel.on('data', take),
          }),
        )
      : await startDevice((socket) =>
          floodingShell({
            // The server echoes.
            write: (bytes) => socket.write(bytes),
            onTyped: (take) => {
              socket.write(Buffer.from([255, 251, 1]));
              // Without the answers of the client to this.
              socket.on('data', (typed) =>
                take(Buffer.from(typed.toString('latin1').replaceAll(/\u00ff../gs, ''), 'latin1')),
              );
            },
          }),
        );
  stop = () => target.stop();
  return target.port;
}

describe.each(['ssh', 'telnet'] as const)('a program over %s', (protocol) => {
  it('leaves the terminal, the recording and the log of commands working after any output', async () => {
    const port = await startTarget(protocol);
    const grant = grantFor(rig.sshd);
    rig.ports.grant = {
      ...grant,
      asset: { ...grant.asset, port },
      systemUser: { ...grant.systemUser, username: 'somebody', protocol },
    };
    rig.ports.login = { username: 'somebody', password: protocol === 'ssh' ? 'secret' : '' };
    const client = await rig.openTerminal();
    for (const { name } of TERMINAL_FLOODS) {
      client.type(`${name}\r`);
      await client.waitFor(`${END}ready> `);
    }
    client.type('echo still here\r');
    await client.waitFor('ready> ');
    await client.until('the command in the log', () =>
      rig.ports.row().commands.find(({ input }) => input === 'echo still here'),
    );
    await client.close();
    const end = await rig.finished(client);
    expect(end).toMatchObject({ reason: 'session_finished', replayState: 'finished' });
  });
});

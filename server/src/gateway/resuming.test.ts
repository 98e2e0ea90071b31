import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OUTPUT_WINDOW } from '@sallyport/contract';
import { describe, expect, it } from 'vitest';
import { gatewayRig } from '../testing/gateway/gateway-rig.ts';
import { PERSON } from '../testing/gateway/memory-ports.ts';
import { TerminalClient } from '../testing/terminals/terminal-client.ts';

const rig = gatewayRig();

const keep = (keepSeconds: number) => {
  rig.ports.limitValues = { ...rig.ports.limitValues, keepSeconds };
};
const sessionOf = async (client: TerminalClient) => (await client.message('open')).session;

/** Reconnects on a new socket. */
const resume = (session: string, received?: number) =>
  TerminalClient.resume(rig.server.url, { session, ...(received !== undefined && { received }) });

describe('a web terminal whose connection is lost', () => {
  it('resumes after the last received byte without loss or repetition, and lists the interruption', async () => {
    keep(60);
    const first = await rig.openTerminal();
    const session = await sessionOf(first);
    const signal = join(rig.sshd.home, 'the-first-is-gone');
    const lines = (from: number, to: number) =>
      `for i in $(seq ${from} ${to}); do echo "line $i of many"; done`;
    const script = join(rig.sshd.home, 'print');
    await writeFile(
      script,
      `${lines(1, 1500)}; until test -e ${signal}; do sleep 0.1; done; ${lines(1501, 3000)}; ` +
        'echo done',
    );
    first.type(`sh ${script}\r`);
    await first.waitFor('line 20 of many');
    first.socket.terminate();
    await first.until('the end of the socket', () => first.closeCode);
    await writeFile(signal, '');
    const second = await resume(session, first.received);
    expect(await second.message('resumed')).toMatchObject({
      session,
      screen: false,
      keeps: 60,
      asset: 'box',
    });
    await second.waitFor('done');
    const received = `${first.output}${second.output}`.match(/^line \d+ of many/gm) ?? [];
    expect(received).toEqual(
      Array.from({ length: 3000 }, (_, index) => `line ${index + 1} of many`),
    );
    expect(rig.ports.row().gaps).toHaveLength(1);
    expect(rig.ports.row().gaps[0]?.remoteAddr).toBe('127.0.0.1');
    second.type('exit\r');
    expect(await rig.finished(second)).toMatchObject({
      reason: 'connect_target_closed',
      replayState: 'finished',
    });
    expect(rig.ports.row().commands.map(({ input }) => input)).toContain('exit');
  });

  it('sends a reloaded page the whole screen, and counts the received input', async () => {
    keep(60);
    const first = await rig.openTerminal();
    const session = await sessionOf(first);
    first.type('echo before the re"load"\r');
    await first.waitFor('before the reload');
    first.socket.close(1001);
    await first.until('the end of the socket', () => first.closeCode);
    const second = await resume(session);
    const resumed = await second.message('resumed');
    expect(resumed).toMatchObject({
      screen: true,
      typed: Buffer.byteLength('echo before the re"load"\r'),
      position: first.received,
    });
    await second.waitFor('before the reload');
    expect(second.output.startsWith('\x1bc')).toBe(true);
    second.type('echo and aft"er"\r');
    await second.waitFor('and after');
    await second.close();
    expect(await rig.finished(second)).toMatchObject({ reason: 'session_finished' });
  });

  it('redraws a full-screen program when its screen is no longer buffered', async () => {
    keep(60);
    const first = await rig.openTerminal();
    const session = await sessionOf(first);
    // A program that draws once, floods the rest of the buffer, and redraws on a size change. Bash
    // would defer a size change that arrives while it draws until the next signal.
    const program = [
      'draw() { printf "\\033[2J\\033[Htit%s %s\\n" le "$(stty size)"; }',
      'trap draw WINCH',
      'printf "\\033[?1049h\\033[?1h"',
      'draw',
      'printf "%0250000d" 7',
      'echo re"ad"y',
      'while :; do sleep 0.1; done',
    ].join('; ');
    first.type(`sh -c '${program}'\r`);
    await first.waitFor('ready');
    first.socket.terminate();
    await first.until('the end of the socket', () => first.closeCode);
    const second = await resume(session);
    expect(await second.message('resumed')).toMatchObject({ screen: true });
    await second.waitFor('title 24 80');
    expect(second.output).toContain('\x1b[?1h');
    await second.close();
  });

  it('ends the session when the user does not return in time, and reports that later', async () => {
    keep(1);
    const first = await rig.openTerminal();
    const session = await sessionOf(first);
    first.socket.terminate();
    expect(await rig.finished(first)).toMatchObject({ reason: 'session_left', success: true });
    const late = await resume(session);
    expect(['session_left', 'session_gone']).toContain((await late.message('closed')).code);
    expect(rig.server.gateway.hub.counts().sessions).toBe(0);
  });

  it('shows the last output of a session that ended while the browser was away', async () => {
    keep(60);
    const first = await rig.openTerminal();
    const session = await sessionOf(first);
    first.type('until [ -e left ]; do sleep 0.1; done; echo last wo"rd"s; exit\r');
    await first.waitFor('exit');
    first.socket.terminate();
    await first.until('the end of the socket', () => first.closeCode);
    await writeFile(join(rig.sshd.home, 'left'), '');
    await rig.finished(first);
    const second = await resume(session, first.received);
    await second.waitFor('last words');
    expect(await second.message('closed')).toMatchObject({ code: 'connect_target_closed' });
    const third = await resume(session);
    expect(await third.message('closed')).toMatchObject({ code: 'session_gone' });
  });

  it('tells the reason to a browser that returns when the message of the end did not arrive', async () => {
    keep(60);
    const first = await rig.openTerminal();
    const session = await sessionOf(first);
    first.type('exit\r');
    // A connection that breaks carries nothing more, and the server does not know yet.
    first.socket.pause();
    await rig.finished(first);
    const second = await resume(session, first.received);
    expect(await second.message('closed')).toMatchObject({ code: 'connect_target_closed' });
    first.socket.terminate();
  });

  it('moves to another window, and closes the first with the reason', async () => {
    keep(60);
    const first = await rig.openTerminal();
    const second = await resume(await sessionOf(first));
    expect(await first.message('closed')).toMatchObject({ code: 'session_moved' });
    second.type('echo st"ill" here\r');
    await second.waitFor('still here');
    expect(rig.ports.row().end).toBeUndefined();
    expect(rig.ports.row().gaps).toEqual([]);
    await second.close();
  });

  it('resumes only for the sign-in that opened the session', async () => {
    keep(60);
    const first = await rig.openTerminal();
    const session = await sessionOf(first);
    first.socket.terminate();
    for (const other of [{ userId: 'u2' }, { loginId: 'login2' }]) {
      rig.person = { ...PERSON, ...other };
      const stranger = await resume(session);
      expect(await stranger.message('closed')).toMatchObject({ code: 'session_gone' });
      expect(stranger.received).toBe(0);
    }
    rig.person = PERSON;
    const unknown = await resume('11111111-1111-4111-8111-111111111111');
    expect(await unknown.message('closed')).toMatchObject({ code: 'session_gone' });
    rig.ports.grant = undefined;
    const late = await resume(session);
    expect(await late.message('closed')).toMatchObject({ code: 'connect_expired' });
    expect(await rig.finished(late)).toMatchObject({ reason: 'connect_expired' });
  });

  it('ends the session at once when the setting keeps nothing', async () => {
    keep(0);
    const first = await rig.openTerminal();
    expect(await first.message('open')).toMatchObject({ keeps: 0 });
    first.socket.terminate();
    expect(await rig.finished(first)).toMatchObject({ reason: 'session_finished' });
  });

  it('forgets the session when the user closes the terminal', async () => {
    keep(60);
    const first = await rig.openTerminal();
    const session = await sessionOf(first);
    await first.close();
    expect(await rig.finished(first)).toMatchObject({ reason: 'session_finished' });
    const late = await resume(session);
    expect(await late.message('closed')).toMatchObject({ code: 'session_gone' });
  });

  it('buffers at most one window of output while the browser is away', async () => {
    keep(60);
    const first = await rig.openTerminal();
    const session = await sessionOf(first);
    first.type('cat /dev/zero | tr "\\0" x\r');
    await first.waitFor('xxxxxxxx');
    first.acknowledges = false;
    first.socket.terminate();
    await first.until('the end of the socket', () => first.closeCode);
    const second = await resume(session, first.received);
    second.acknowledges = false;
    await second.until('most of the window', () =>
      second.received >= OUTPUT_WINDOW / 2 ? true : undefined,
    );
    await new Promise((done) => setTimeout(done, 100));
    expect(second.received).toBeLessThan(2 * OUTPUT_WINDOW);
    expect(rig.ports.row().session.id).toBe(session);
    second.type('\x03');
    second.acknowledge();
    await second.waitFor('^C');
    await second.close();
  });
});

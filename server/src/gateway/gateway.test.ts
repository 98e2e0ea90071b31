import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { gatewayRig } from '../testing/gateway/gateway-rig.ts';
import { grantFor } from '../testing/gateway/memory-ports.ts';

const rig = gatewayRig();

describe('a session', () => {
  it('creates a row, a shell, an asciicast recording and a list of commands', async () => {
    const client = await rig.openTerminal();
    const row = rig.ports.row();
    expect(row.replay).toBe('recording');
    expect(
      client.messages.map((message) => (message.type === 'stage' ? message.stage : message.type)),
    ).toEqual(['checking', 'connecting', 'authenticating', 'opening', 'open', 'taken']);
    client.type('echo he"ll"o 世界\r');
    await client.waitFor('hello 世界');
    await client.waitFor('ready> ');
    client.send({ type: 'resize', cols: 101, rows: 31 });
    client.type('stty size\r');
    await client.waitFor('31 101');
    // Keys before the prompt are echoed twice, and their output follows the second echo.
    await client.waitFor('ready> ');
    client.type('exit\r');
    expect(await client.message('closed')).toMatchObject({
      code: 'connect_target_closed',
      retry: true,
    });
    expect(await rig.finished(client)).toMatchObject({
      success: true,
      reason: 'connect_target_closed',
      replayState: 'finished',
    });
    expect(row.commands.map(({ input, output }) => ({ input, output }))).toEqual([
      { input: 'echo he"ll"o 世界', output: 'hello 世界' },
      { input: 'stty size', output: '31 101' },
      // A busy sshd may close the connection before or within the last line; an unfinished line
      // counts as the next prompt.
      { input: 'exit', output: /logout\r*\n/.test(client.output) ? 'logout' : '' },
    ]);
    const cast = gunzipSync(await readFile(rig.recordingOf(row).finished));
    const lines = cast.toString('utf8').trimEnd().split('\n');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ version: 2, width: 80, height: 24 });
    expect(lines.some((line) => line.endsWith('"r", "101x31"]'))).toBe(true);
    const events = lines.slice(1).map((line) => JSON.parse(line));
    const output = events.filter((event) => event[1] === 'o').map((event) => event[2]);
    expect(output.join('')).toBe(client.output);
  });

  it('records all output that the client has got, and logs the command, when it ends at the echo', async () => {
    const client = await rig.openTerminal();
    const row = rig.ports.row();
    const line = "printf '%s-' keys in order; echo end";
    // Separate messages of one turn: the first key passes at once, the others follow together.
    for (const key of line) client.type(key);
    await client.waitFor(line);
    client.type('\r');
    await client.waitFor('keys-in-order-end');
    rig.server.gateway.hub.terminate(row.session.id, 'Boss');
    await client.message('closed');
    await rig.finished(client, row);
    const cast = gunzipSync(await readFile(rig.recordingOf(row).finished));
    const events = cast.toString('utf8').trimEnd().split('\n').slice(1);
    const output = events.map((event) => JSON.parse(event)).filter(([, kind]) => kind === 'o');
    expect(output.map(([, , text]) => text).join('')).toContain(client.output);
    expect(row.commands.map(({ input }) => input)).toEqual([line]);
  });

  it('converts between UTF-8 and the charset of the target', async () => {
    const grant = grantFor(rig.sshd);
    rig.ports.grant = { ...grant, asset: { ...grant.asset, charset: 'gbk' } };
    const client = await rig.openTerminal();
    client.type("printf '\\304\\343\\272\\303\\n'\r");
    await client.waitFor('\r你好');
    client.type('printf %s 世界 | od -An -tx1\r');
    await client.waitFor(' ca c0 bd e7');
    await client.close();
  });

  it('ends a session with its browser, and sets the end in the row', async () => {
    const client = await rig.openTerminal();
    await client.close();
    expect(await rig.finished(client)).toMatchObject({
      success: true,
      reason: 'session_finished',
      replayState: 'finished',
    });
    expect(rig.server.gateway.hub.counts()).toEqual({ sessions: 0, connecting: 0, watchers: 0 });
  });
});

describe('lines without echo', () => {
  it('counts lines without echo in commands and recording, without their text', async () => {
    const client = await rig.openTerminal();
    client.type('stty -echo\r');
    await client.waitFor('ready> ');
    for (const line of ['touch secret-one', 'touch secret-two']) {
      client.type(`${line}\r`);
      await client.waitFor('ready> ');
    }
    client.type('stty echo\r');
    await client.waitFor('ready> ');
    client.type('echo se"en"\r');
    await client.waitFor('seen');
    client.type('exit\r');
    await rig.finished(client);
    const { commands } = rig.ports.row();
    expect(commands.map(({ input }) => input)).toEqual([
      'stty -echo',
      '# 3 lines typed without echo',
      'echo se"en"',
      'exit',
    ]);
    const cast = gunzipSync(await readFile(rig.recordingOf(rig.ports.row()).finished)).toString(
      'utf8',
    );
    expect(cast).toContain('"m", "# 3 lines typed without echo"');
    expect(cast + JSON.stringify(commands)).not.toContain('secret');
  });
});

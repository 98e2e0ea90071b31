import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Client, Json } from './client.ts';
import { ADMIN_PASSWORD } from './command.ts';
import { grantDesktop, openDesktop } from './desktops/desktop-world.ts';
import { startScriptedVnc } from './hostile/vnc.ts';
import type { TestDevice } from './hosts/device.ts';
import { until } from './poll.ts';
import type { ProcessGroup } from './process-group.ts';
import { sshClient } from './ssh/ssh-client.ts';
import { TerminalClient } from './terminals/terminal-client.ts';

/** A session that a client used honestly. */
export interface UsedSession {
  readonly id: string;
  /** Kind and state, for messages. */
  readonly name: string;
  /** Text that its recording contains. Undefined for desktops and transfers. */
  readonly shows?: string;
  /** False for transfers. */
  readonly isRecorded: boolean;
}

/** Sessions of all kinds of one server. */
export interface UsedSessions {
  readonly sessions: readonly UsedSession[];
  /** Ends some sessions for their clients. The server may still be writing the ends. */
  end(): Promise<void>;
  /** Closes the clients. */
  stop(): Promise<void>;
}

/** The server to use, and its grants. */
export type UsedServer = Pick<
  ProcessGroup,
  'admin' | 'grant' | 'sockets' | 'db' | 'url' | 'signIn' | 'openDatabases'
>;

const WIDTH = 64;
const HEIGHT = 48;

/** Returns an update of a VNC server with a raw picture. */
function picture(): Buffer {
  const head = Buffer.alloc(16);
  head.writeUInt16BE(1, 2);
  head.writeUInt16BE(WIDTH, 8);
  head.writeUInt16BE(HEIGHT, 10);
  return Buffer.concat([head, Buffer.alloc(WIDTH * HEIGHT * 4, 0x40)]);
}

/** Starts a VNC server that answers each message of a client with a picture. */
const startDesktop = (): Promise<TestDevice> => {
  const open = new Set<Socket>();
  return startScriptedVnc(
    (socket) => open.add(socket).size,
    () => {
      for (const socket of open) socket.write(picture());
    },
  );
};

/**
 * Opens shells, commands, statements, desktops and uploads: some end, some stay live, and one was
 * resumed. `sshPort` is the port of the SSH listener.
 */
export async function useSessions(group: UsedServer, sshPort: number): Promise<UsedSessions> {
  const { admin, grant, sockets } = group;
  const sessions: UsedSession[] = [];
  const endings: (() => Promise<unknown>)[] = [];
  const closings: (() => unknown)[] = [];
  const earlier = await group.db.query<{ id: string }>('select id::text as id from session');
  const known = new Set(earlier.rows.map(({ id }) => id));
  const { body: me } = await admin.get<Json>('users/profile/');
  /** The session that a client has opened since. */
  const opened = async (condition: string): Promise<string> => {
    let id = '';
    await until(async () => {
      const { rows } = await group.db.query<{ id: string }>(
        `select id::text as id from session where ${condition}`,
      );
      id = rows.find((row) => !known.has(row.id))?.id ?? '';
      return id !== '';
    }, `a session: ${condition}`);
    known.add(id);
    return id;
  };

  const shell = async (name: string) => {
    const shows = `mark ${randomBytes(6).toString('hex')}`;
    let terminal = await TerminalClient.connect(sockets, grant, admin.headers);
    const { session } = await terminal.message('open');
    known.add(session);
    if (name.includes('resumed')) {
      terminal.socket.terminate();
      terminal = await TerminalClient.resume(sockets, { session }, admin.headers);
      await terminal.message('resumed');
    }
    // The echo of the line does not contain the text.
    terminal.type(`echo ${shows.replace('mark', 'ma""rk')}\r`);
    await terminal.waitFor(shows);
    sessions.push({ id: session, name, shows, isRecorded: true });
    closings.push(() => terminal.socket.terminate());
    return async () => {
      terminal.type('exit\r');
      await terminal.message('closed');
    };
  };
  await (await shell('ended shell'))();
  await shell('live shell');
  await shell('live resumed shell');
  endings.push(await shell('ending shell'), await shell('ending resumed shell'));

  const ssh = sshClient(sshPort);
  closings.push(() => ssh.stop());
  const call = { login: 'admin@shell@box', password: ADMIN_PASSWORD };
  const command = async (name: string, more: string) => {
    const shows = `mark ${randomBytes(6).toString('hex')}`;
    let output = '';
    const running = ssh.shell({
      ...call,
      command: `echo ${shows}${more}`,
      options: ['-T'],
    });
    running.onOutput((chunk) => {
      output += String(chunk);
    });
    await until(() => output.includes(shows), `the output of the ${name}`);
    sessions.push({
      id: await opened("login_from = 'ST' and kind = 'terminal'"),
      name,
      shows,
      isRecorded: true,
    });
    return () => running.ended;
  };
  await (await command('ended command', ''))();
  await command('live command', '; sleep 3600');
  endings.push(await command('ending command', '; sleep 0.2'));

  const statement = async (name: string) => {
    const shows = `mark ${randomBytes(6).toString('hex')}`;
    const [client] = await group.openDatabases(1);
    if (!client) throw new Error('no client');
    await client.query(`select '${shows}'`);
    sessions.push({ id: await opened("protocol = 'postgresql'"), name, shows, isRecorded: true });
    return () => client.end();
  };
  await (await statement('ended statements'))();
  await statement('live statements');
  endings.push(await statement('ending statements'));

  const vnc = await startDesktop();
  closings.push(() => vnc.stop());
  const desktop = await grantDesktop(admin, String(me.id), { port: vnc.port, password: 'secret' });
  const view = async (name: string) => {
    const { client, session } = await openDesktop(group.url, desktop, admin);
    known.add(session);
    await client.wire.until('a picture', () => client.screen.drawn > 0 || undefined);
    sessions.push({ id: session, name, isRecorded: true });
    closings.push(() => client.socket.terminate());
    return async () => {
      client.socket.close();
    };
  };
  await (await view('ended desktop'))();
  await view('live desktop');
  endings.push(await view('ending desktop'));

  const upload = async (name: string, size: number, isWhole: boolean) => {
    const person = await group.signIn();
    const path = `files/${grant.asset}/${grant.system_user}`;
    const bytes = new Uint8Array(randomBytes(isWhole ? size : size / 2));
    const query = `path=/${randomBytes(6).toString('hex')}&size=${size}&offset=0`;
    const sent = await put(
      person,
      `${path}/uploads/upload-${randomBytes(4).toString('hex')}/?${query}`,
      bytes,
    );
    if (sent !== 200) throw new Error(`the upload was answered with ${sent}`);
    sessions.push({ id: await opened("kind = 'transfer'"), name, isRecorded: false });
    return () => person.delete(`${path}/connect/`);
  };
  await (await upload('ended upload', 1_000, true))();
  await upload('live upload', 400_000, false);
  endings.push(await upload('ending upload', 200_000, true));

  return {
    sessions,
    end: async () => void (await Promise.all(endings.map((end) => end()))),
    stop: async () => {
      for (const close of closings) await close();
    },
  };
}

const put = async (person: Client, path: string, bytes: Uint8Array<ArrayBuffer>) =>
  (await person.send('PUT', path, bytes, 'application/octet-stream')).status;

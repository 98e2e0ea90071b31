// The client of `scripts/record-data-folder.mjs`: uses a server of another commit and prints the
// facts of its folder as JSON.

import { generateSshKeyPair } from '@sallyport/ssh';
import { PROMPT, startCanaryTarget } from '../../gateway/canary/target.ts';
import { Client, type Json } from '../client.ts';
import { until } from '../poll.ts';
import { cookiesOf } from '../sign-in.ts';
import { sshClient } from '../ssh/ssh-client.ts';
import { startSshServer } from '../ssh/ssh-server.ts';
import { TerminalClient } from '../terminals/terminal-client.ts';
import type { RecordedFacts, RecordedSession, RecordedTransfer } from './facts.ts';

const [, , url = '', adminPassword = '', sshPort = ''] = process.argv;
const MEMBER = { username: 'li.wei', password: 'recorded member 2026' };
const NEW_PASSWORD = 'recorded member 2026, changed';

const visitor = new Client(url);

async function succeed(answer: Promise<{ status: number; text: string; body: Json }>) {
  const { status, text, body } = await answer;
  if (status < 200 || status > 299) throw new Error(`answered ${status} ${text}`);
  return body;
}

async function signIn(username: string, password: string): Promise<Client> {
  const body = await succeed(visitor.post('authentication/auth/', { username, password }));
  return visitor.with({ authorization: `Bearer ${body.token}` });
}

/** Signs in like a browser: sockets require cookies. */
async function browser(username: string, password: string): Promise<Record<string, string>> {
  const first = cookiesOf((await visitor.get('/core/auth/login/')).headers);
  const page = { 'x-csrftoken': first.csrftoken ?? '', origin: new URL(url).origin };
  const signedIn = await visitor
    .with({ cookie: `csrftoken=${first.csrftoken}`, ...page })
    .post('/core/auth/login/', { username, password });
  const { sessionid, csrftoken } = cookiesOf(signedIn.headers);
  return { cookie: `sessionid=${sessionid}; csrftoken=${csrftoken}`, origin: page.origin };
}

const admin = await signIn('admin', adminPassword);
const target = await startCanaryTarget();
const create = (path: string, body: Json) => succeed(admin.post(path, body));

await succeed(admin.patch('settings/setting/', { SECURITY_VIEW_AUTH_NEED_MFA: false }));
const member = await create('users/users/', {
  name: 'Li Wei',
  email: 'li.wei@example.com',
  role: 'User',
  password_strategy: 1,
  ...MEMBER,
});
const asset = await create('assets/assets/', {
  hostname: 'web-01',
  ip: target.host,
  platform: 'Linux',
  protocols: [`ssh/${target.port}`],
});
const key = generateSshKeyPair('recorded');
const systemUser = { name: 'deploy', username: target.username, password: target.password };
const account = await create('assets/system-users/', {
  ...systemUser,
  login_mode: 'auto',
  auto_push: false,
});
const keyed = await create('assets/system-users/', {
  name: 'with-key',
  username: 'git',
  private_key: key.private,
  auto_push: false,
});
await create('perms/asset-permissions/', {
  name: 'web for Li Wei',
  users: [member.id],
  assets: [asset.id],
  system_users: [account.id],
});

// Create one entry each in the login log and the password-change log.
await visitor.post('authentication/auth/', { username: MEMBER.username, password: 'wrong' });
const person = await signIn(MEMBER.username, MEMBER.password);
await succeed(
  person.put('users/profile/password/', {
    old_password: MEMBER.password,
    new_password: NEW_PASSWORD,
    new_password_again: NEW_PASSWORD,
  }),
);

/** Runs one terminal session that types some lines and exits. */
async function session(lines: readonly string[]): Promise<RecordedSession> {
  const headers = await browser(MEMBER.username, NEW_PASSWORD);
  const request = { asset: String(asset.id), system_user: String(account.id) };
  const terminal = await TerminalClient.connect(url.replace('http', 'ws'), request, headers);
  await terminal.waitFor(PROMPT);
  for (const line of lines) {
    terminal.type(`${line}\r`);
    await terminal.waitFor(PROMPT);
  }
  terminal.type('exit\r');
  await terminal.until('the end of the session', () => terminal.closeCode);
  return { id: await endedSession(), commands: [...lines, 'exit'] };
}

/** Returns the id of the session that has ended last. */
async function endedSession(): Promise<string> {
  const ended = async () =>
    (await succeed(admin.get('terminal/sessions/?is_finished=1&limit=100'))).results as Json[];
  let id = '';
  const known = new Set([...sessions, ...transfers].map((one) => one.id));
  await until(async () => {
    id = String((await ended()).find((row) => !known.has(String(row.id)))?.id ?? '');
    return id !== '';
  }, 'the row of the session has ended');
  return id;
}

/** Runs a command without a terminal over SSH. */
async function command(text: string): Promise<RecordedSession> {
  const { code } = await ssh.run({
    login: `${MEMBER.username}@full@files-01`,
    password: NEW_PASSWORD,
    command: text,
  });
  if (code !== 0) throw new Error(`the command ended with ${code}`);
  return { id: await endedSession(), commands: [text] };
}

/** Uploads a small file in the file manager. */
async function upload(name: string, content: string): Promise<RecordedTransfer> {
  const files = `files/${server.id}/${full.id}/`;
  const member = await signIn(MEMBER.username, NEW_PASSWORD);
  await succeed(member.post(`${files}connect/`, {}));
  const bytes = Buffer.from(content);
  const query = new URLSearchParams({
    path: `${host.home}/${name}`,
    size: String(bytes.length),
    offset: '0',
  });
  const path = `${files}uploads/upload-of-small/?${query}`;
  await succeed(member.send('PUT', path, new Uint8Array(bytes), 'application/octet-stream'));
  // Its session ends with the sign-in.
  await member.post('/core/auth/logout/', {});
  return { id: await endedSession(), name };
}

const host = await startSshServer();
const ssh = sshClient(Number(sshPort));
const server = await create('assets/assets/', {
  hostname: 'files-01',
  ip: host.host,
  platform: 'Linux',
  protocols: [`ssh/${host.port}`],
});
const full = await create('assets/system-users/', {
  name: 'full',
  username: host.username,
  private_key: host.privateKey,
  sftp_root: '/',
  auto_push: false,
});
await create('perms/asset-permissions/', {
  name: 'files for Li Wei',
  users: [member.id],
  assets: [server.id],
  system_users: [full.id],
});

const sessions: RecordedSession[] = [];
const transfers: RecordedTransfer[] = [];
sessions.push(await session(['echo first of the recorded', 'echo a second line']));
sessions.push(await session(['echo third of the recorded']));
sessions.push(await session([]));
// Sealed recordings, brief sessions with a result, and a small upload.
await succeed(admin.patch('settings/setting/', { SECURITY_ENCRYPT_RECORDINGS: true }));
sessions.push(await session(['echo sealed of the recorded']));
sessions.push(await command('echo brief of the recorded'));
sessions.push(await command('echo another brief one'));
transfers.push(await upload('small.txt', 'small file of the recorded'));
await ssh.stop();
await host.stop();
await target.stop();

const facts: Omit<RecordedFacts, 'commit'> = {
  admin: { username: 'admin', password: adminPassword },
  member: { username: MEMBER.username, password: NEW_PASSWORD },
  systemUsers: [
    { id: String(account.id), password: target.password, private_key: '' },
    { id: String(keyed.id), password: '', private_key: key.private },
  ],
  sessions,
  transfers,
};
process.stdout.write(JSON.stringify(facts));
// Keep-alive connections would keep the process running.
process.exit(0);

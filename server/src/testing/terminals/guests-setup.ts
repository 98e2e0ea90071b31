import { randomBytes } from 'node:crypto';
import {
  GUEST_SOCKET_PATH,
  type NewSessionInvitation,
  type SessionGuest,
  type SessionInvitation,
} from '@sallyport/contract';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { type BuiltUser, buildAsset, buildOrganization, buildUser, unique } from '../builders.ts';
import { changeSettings } from '../change-settings.ts';
import type { Client, Json } from '../client.ts';
import { freePort } from '../free-port.ts';
import { until } from '../poll.ts';
import { bearer } from '../sign-in.ts';
import type { SshCalls } from '../ssh/ssh-calls.ts';
import { sshClient } from '../ssh/ssh-client.ts';
import { startSshServer } from '../ssh/ssh-server.ts';
import type { SshTarget } from '../ssh/ssh-target.ts';
import { startTestProgram, type TestProgram } from '../test-program.ts';
import { TerminalClient } from './terminal-client.ts';

/** The owner's server, and the server of most guests. */
export let one: TestProgram;
let other: TestProgram;
let sshd: SshTarget;
/** Clients of the SSH listener of the other server. */
export let ssh: SshCalls;
let here: string;
let asset: string;
export let systemUser: string;
export let owner: BuiltUser;
export let ownerClient: Client;
export let administrator: Client;
/** The administrator at the other server. */
let elsewhere: Client;
/** The owner's terminal in this test, and its session. */
export let live: TerminalClient;
export let session: string;

const base = ({ program }: TestProgram) => program.url.replace(/^http/, 'ws').replace(/\/$/, '');
/** A session row as an administrator sees it. */
export const rowOf = async (id = session) =>
  (await administrator.get<Json>(`terminal/sessions/${id}/`)).body;
/** Path of the owner's invitations for a session. */
export const own = (id = session) => `terminal/own-sessions/${id}/invitations/`;

export async function openSession(client = ownerClient): Promise<[TerminalClient, string]> {
  const terminal = await TerminalClient.connect(
    base(one),
    { asset, system_user: systemUser },
    client.headers,
  );
  const opened = (await terminal.message('open')).session;
  terminal.type("PS1='rea''dy> '\r");
  await terminal.waitFor('ready> ');
  return [terminal, opened];
}

/**
 * Registers the setup: two servers with one database, an SSH listener at the second, and an owner's
 * terminal per test.
 */
export function useGuests(): void {
  beforeAll(async () => {
    const secretKey = randomBytes(32).toString('hex');
    [one, sshd] = await Promise.all([startTestProgram({ secretKey }), startSshServer()]);
    const sshPort = await freePort();
    other = await startTestProgram({ secretKey, databaseUrl: one.databaseUrl, sshPort });
    ssh = sshClient(sshPort);
    here = await buildOrganization(one.db);
    owner = await buildUser(one.db, { memberOf: [{ organization: here, role: 'User' }] });
    administrator = (await bearer(one)).inOrganization(here);
    elsewhere = await bearer(other);
    asset = await buildAsset(one.db, { organization: here, port: sshd.port });
    const account = {
      name: unique('account'),
      username: sshd.username,
      login_mode: 'auto',
      protocol: 'ssh',
      private_key: sshd.privateKey,
    };
    systemUser = String((await administrator.post('assets/system-users/', account)).body.id);
    await administrator.post('perms/asset-permissions/', {
      name: unique('rule'),
      users: [owner.id],
      assets: [asset],
      system_users: [systemUser],
    });
    ownerClient = (await bearer(one, owner)).inOrganization(here);
  });
  afterAll(async () => {
    await other.stop();
    await one.stop();
    await sshd.stop();
    await ssh.stop();
  });

  beforeEach(async () => {
    await allow(true);
    [live, session] = await openSession();
  });
  afterEach(() => live.close());
}

/** Switches invitations on or off at both servers. */
export const allow = (on: boolean) =>
  changeSettings([administrator, elsewhere], 'terminal', { TERMINAL_SESSION_INVITATIONS: on });

/** Resumes the owner's terminal over a new connection. */
export async function comeBack(): Promise<void> {
  live = await TerminalClient.resume(
    base(one),
    { session, received: live.received },
    ownerClient.headers,
  );
}

export interface Colleague {
  readonly user: BuiltUser;
  readonly client: Client;
  readonly rule: string;
}

/** Creates a user of the organization, with or without the owner's permission. */
export async function colleague(isGranted = true): Promise<Colleague> {
  const user = await buildUser(one.db, { memberOf: [{ organization: here, role: 'User' }] });
  const permission = {
    name: unique('rule'),
    users: [user.id],
    assets: [asset],
    system_users: [systemUser],
  };
  const granted = isGranted
    ? String((await administrator.post('perms/asset-permissions/', permission)).body.id)
    : '';
  return { user, client: (await bearer(other, user)).inOrganization(here), rule: granted };
}

/** Creates an invitation of the owner. */
export const invite = async (fields: Json = {}, id = session): Promise<NewSessionInvitation> => {
  const answer = await ownerClient.post<NewSessionInvitation>(own(id), {
    may_type: true,
    minutes: '0',
    ...fields,
  });
  expect([answer.status, answer.text]).toEqual([201, expect.stringContaining('secret')]);
  return answer.body;
};
/** Accepts an invitation as a guest. */
export const accept = (client: Client, { secret }: NewSessionInvitation) =>
  client.post<Json>('terminal/invitations/accept/', { secret });
export const visit = (client: Client, { id }: Pick<SessionInvitation, 'id'>, server = other) =>
  new TerminalClient(`${base(server)}${GUEST_SOCKET_PATH}?invitation=${id}`, client.headers);

/** Invites a new guest and connects the guest's terminal. */
export async function guestOf(fields: Json = {}, server = other) {
  const invitation = await invite(fields);
  const guest = await colleague();
  expect((await accept(guest.client, invitation)).status).toBe(200);
  const terminal = visit(guest.client, invitation, server);
  await terminal.message('resize');
  // The visit is stored shortly after the guest joined.
  await until(async () => (await stored(invitation.id))?.state === 'joined', 'the visit is stored');
  return { invitation, ...guest, terminal };
}
/** Disconnects a guest, and waits until the owner sees it. */
export const leave = async (terminal: TerminalClient) => {
  await terminal.close();
  await until(async () => (guests().at(-1) ?? []).length === 0, 'the guest has left');
};
/** The guest lists that the owner received, in order. */
export const guests = (): (readonly SessionGuest[])[] =>
  live.messages.flatMap((message) => (message.type === 'guests' ? [message.guests] : []));
/** An invitation as administrators see it. */
export const stored = async (id: string) =>
  (
    await administrator.get<SessionInvitation[]>(`terminal/sessions/${session}/invitations/`)
  ).body.find((row) => row.id === id);

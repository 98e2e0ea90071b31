import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { AttentionItem } from '@sallyport/contract';
import type pg from 'pg';
import { expect } from 'vitest';
import type { SessionProblem, Verdicts } from '../features/audits/verification.ts';
import { isAlive } from '../platform/process/alive.ts';
import type { Client, Page } from './client.ts';
import { until } from './poll.ts';
import type { ProcessGroup } from './process-group.ts';
import { processIdsBelow } from './process-ids.ts';
import type { UsedSession } from './sessions-of-all-kinds.ts';

/** Kills a server with its processes and its database, as a power failure does. */
export async function killServer({
  folder,
  command,
}: Pick<ProcessGroup, 'folder' | 'command'>): Promise<void> {
  const workers = await processIdsBelow(command.child.pid);
  const state = await readFile(join(folder, 'postgres/postmaster.pid'), 'utf8').catch(() => '');
  const database = state === '' ? [] : [Number(state.split('\n')[0])];
  for (const id of [command.child.pid ?? 0, ...workers.values()]) process.kill(id, 'SIGKILL');
  // PostgreSQL ends at once, without a checkpoint.
  for (const id of database) process.kill(id, 'SIGQUIT');
  await command.ended;
  await until(() => ![...workers.values(), ...database].some(isAlive), 'all processes are gone');
}

/** Verifies everything. Returns the broken logs, and the problems by session. */
export async function problemsOf(admin: Client) {
  const { body } = await admin.post<Verdicts>('audits/verify/');
  return {
    logs: body.logs.filter(({ first_break: broken }) => broken !== null),
    sessions: Object.fromEntries(
      body.sessions.broken.map(({ session, problem }) => [session, problem]),
    ),
    checked: body.sessions.checked,
  };
}

export const allWith = (sessions: readonly UsedSession[], problem: SessionProblem) =>
  Object.fromEntries(sessions.map(({ id }) => [id, problem]));

export const attentionOf = async (admin: Client) =>
  (await admin.get<AttentionItem[]>('common/attention/')).body.map(({ kind }) => kind);

/** Requests the recording of a session. */
export async function replayOf(admin: Client, id: string) {
  const path = `/api/v1/terminal/sessions/${id}/replay/file/`;
  const answer = await fetch(new URL(path, admin.url), { headers: { ...admin.headers } });
  const bytes = Buffer.from(await answer.arrayBuffer());
  return {
    status: answer.status,
    text: (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString('latin1'),
  };
}

/** Expects sessions in the list, with their recordings. */
export async function expectVisible(
  admin: Client,
  sessions: readonly UsedSession[],
): Promise<void> {
  const { body: list } = await admin.get<Page>('terminal/sessions/?is_finished=1&limit=100');
  for (const { id, name, isRecorded, shows = '' } of sessions) {
    const row = list.results.find((one) => one.id === id);
    const expected = { is_finished: true, has_replay: isRecorded, can_replay: isRecorded };
    expect(row, name).toMatchObject(expected);
    if (isRecorded)
      expect(await replayOf(admin, id), name).toEqual({
        status: 200,
        text: expect.stringContaining(shows),
      });
  }
}

/** Expects all sessions of an installation in the list, with their recordings and proven. */
export async function expectUnbroken(
  admin: Client,
  sessions: readonly UsedSession[],
): Promise<void> {
  await expectVisible(admin, sessions);
  expect(await problemsOf(admin)).toEqual({ logs: [], sessions: {}, checked: sessions.length });
  for (const kind of ['unrecorded_sessions', 'audit_logs_broken'] as const)
    expect(await attentionOf(admin)).not.toContain(kind);
}

/** Changes one byte of each recording in a folder. */
export async function changeRecordings(
  folder: string,
  sessions: readonly UsedSession[],
): Promise<void> {
  const files = await readdir(join(folder, 'recordings'), { recursive: true, withFileTypes: true });
  for (const entry of files) {
    if (!entry.isFile() || !sessions.some(({ id }) => entry.name.startsWith(id))) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = await readFile(path);
    const at = bytes.length >> 1;
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    await writeFile(path, bytes);
  }
}

/** Changes the rows of ended sessions. */
export const changeRows = (db: pg.Client, sessions: readonly UsedSession[]) =>
  db.query("update session set remote_addr = '192.0.2.99' where id = any ($1)", [
    sessions.map(({ id }) => id),
  ]);

import { readdir, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { callTool, connectAgent, createAgent } from '../../testing/agents.ts';
import type { Client, Json } from '../../testing/client.ts';
import { until } from '../../testing/poll.ts';
import { bearer } from '../../testing/sign-in.ts';
import { type OpenSshWorld, startOpenSshWorld } from '../../testing/ssh/open-ssh-world.ts';

let world: OpenSshWorld;
let owner: Client;
beforeAll(async () => {
  world = await startOpenSshWorld();
  owner = await bearer(world.test, world.member);
});
afterAll(() => world.stop());

/** Returns true if a process of this machine runs with these arguments. */
async function runs(text: string): Promise<boolean> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(
    ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')),
  );
  return lines.some((line) => line.replaceAll('\0', ' ').trim() === text);
}

it('kills the silent command of an ended agent on OpenSSH', async () => {
  const leash = { hosts: world.hostname, password: world.member.password };
  const { id, token } = await createAgent(owner, leash);
  const client = await connectAgent(world.test, token);
  // The number names this run among the processes of the machine.
  const command = `sleep ${100_000 + process.pid}`;
  const args = { host: world.hostname, command: `exec ${command}`, wait: 0 };
  const running = await callTool(client, 'run', args);
  expect(running.state).toBe('running');
  await until(() => runs(command), 'the command runs');
  expect((await owner.post<Json>('agents/agents/end/', { agent: id })).body).toEqual({ ended: 1 });
  await until(async () => !(await runs(command)), 'the command is killed');
  await client.close().catch(() => undefined);
});

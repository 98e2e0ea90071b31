import { Client as McpClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect } from 'vitest';
import { unique } from './builders.ts';
import type { Client, Json } from './client.ts';
import type { TestProgram } from './test-program.ts';

/** The revision of the protocol without sessions, and the newest one with `initialize`. */
export type Revision = '2026-07-28' | '2025-11-25';

/** A leash for any command of any account. A test adds hosts and the password of the owner. */
export const LEASH = {
  client: 'Test client',
  task: 'Look at the disks',
  accounts: '*',
  command_mode: 'any',
} as const;

/** Creates an agent with a leash. Returns its id and its token. */
export async function createAgent(
  owner: Client,
  values: Json,
): Promise<{ readonly id: string; readonly token: string }> {
  const body = { name: unique('agent'), ...LEASH, ...values };
  const answer = await owner.post<Json>('agents/agents/', body);
  expect(answer.status, answer.text).toBe(201);
  return { id: String(answer.body.id), token: String(answer.body.token) };
}

/** Connects the official client with the token of an agent. */
export async function connectAgent(
  test: TestProgram,
  token: string,
  revision: Revision = '2026-07-28',
): Promise<McpClient> {
  const client = new McpClient(
    { name: 'test', version: '1.0.0' },
    revision === '2026-07-28' ? { versionNegotiation: { mode: { pin: revision } } } : {},
  );
  const headers = { authorization: `Bearer ${token}` };
  const url = new URL('/mcp', test.program.url);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  return client;
}

/** Calls a tool. Returns its structured result. */
export async function callTool(client: McpClient, name: string, args: Json): Promise<Json> {
  const result = await client.callTool({ name, arguments: args });
  expect(result.structuredContent, JSON.stringify(result)).toBeDefined();
  return result.structuredContent as Json;
}

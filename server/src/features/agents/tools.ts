import { McpServer } from '@modelcontextprotocol/server';
import { API_VERSION, isUuid } from '@sallyport/contract';
import { z } from 'zod';
import { shellLine } from '../../platform/allowed-commands.ts';
import { notFound, Rejected } from '../../platform/errors.ts';
import type { RunRequest } from './calls.ts';
import { registerDatabases } from './database-tools.ts';
import {
  ACCOUNTS,
  type AgentRequest,
  CALL_OUTPUT,
  callResult,
  FOREIGN,
  guarded,
  LIST_INPUT,
  lines,
  MOST_WAIT,
  name,
  RUN_INPUT,
  resultOf,
} from './tool-shapes.ts';

/** Characters of a file that an agent writes. */
const MAX_CONTENT = 128 * 1024;
/** Seconds until an operation on a file is stopped, and until its answer. */
const FILE_TIMES = { seconds: 120, wait: MOST_WAIT };
const LIST_OUTPUT = z.object({
  hosts: z.array(
    z.object({
      host: z.string(),
      comment: z.string(),
      accounts: ACCOUNTS,
    }),
  ),
  truncated: z.boolean(),
});
const FILE_INPUT = RUN_INPUT.pick({ host: true, account: true, reason: true }).extend({
  path: lines(4096).min(1).describe('The path of the file'),
});
const WRITE_INPUT = FILE_INPUT.extend({
  content: z.string().max(MAX_CONTENT).describe('The whole new content'),
  key: RUN_INPUT.shape.key,
});
const ACCESS_INPUT = z.strictObject({
  host: name(128).min(1).describe('The name of a host that list_hosts does not show'),
  account: name(128).min(1).describe('The account to use there'),
  minutes: z.int().min(5).max(480).default(60).describe('How long the access is needed'),
  organization: name(128)
    .default('')
    .describe('The organization of the host, if there are several'),
  reason: lines(500).min(1).describe('Why you need it. An administrator reads this'),
});
const ASK_INPUT = z.strictObject({
  call: z.string().max(64).describe('The call of an earlier answer'),
  wait: z.int().min(0).max(MOST_WAIT).default(0),
});
/** Creates the MCP server of one request. */
export function createAgentServer(given: AgentRequest): McpServer {
  const { agent, person, calls, targets, log, left } = given;
  const server = new McpServer(
    { name: 'sallyport', title: 'Sallyport', version: API_VERSION },
    {
      instructions: `You work for ${person.display} within a leash. Task: ${agent.task}\n${FOREIGN}`,
      cacheHints: { 'tools/list': { ttlMs: 60_000, cacheScope: 'private' } },
    },
  );
  server.registerTool(
    'list_hosts',
    {
      title: 'List hosts',
      description: 'Lists the hosts and accounts that you may use.',
      inputSchema: LIST_INPUT,
      outputSchema: LIST_OUTPUT,
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ search = '' }) =>
      guarded(log, async () => resultOf(await targets.list(agent, person, search))),
  );
  server.registerTool(
    'run',
    {
      title: 'Run a command',
      description: `Runs one command on a host without a terminal and without input. It is checked, recorded and limited. ${FOREIGN}`,
      inputSchema: RUN_INPUT,
      outputSchema: CALL_OUTPUT,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
    },
    ({ host, account, command, words, reason = '', key, seconds, wait }) =>
      guarded(log, async () => {
        if ((command === undefined) === (words === undefined)) throw new Rejected('agent_command');
        const isQuoted = words !== undefined;
        const line = { command: command ?? shellLine(words ?? []), isQuoted };
        const request = {
          tool: 'run',
          host,
          account,
          ...line,
          reason,
          key,
          seconds,
          wait,
        } as const;
        return callResult(await calls.run({ agent, person, request, left }));
      }),
  );
  registerFiles(server, given);
  registerDatabases(server, given);
  server.registerTool(
    'request_access',
    {
      title: 'Request access',
      description:
        'Asks administrators for a host of the leash that the owner has no permission for. Answers at once; a person decides later.',
      inputSchema: ACCESS_INPUT,
      outputSchema: CALL_OUTPUT,
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
    },
    (access) => guarded(log, async () => callResult(await given.requestAccess(access))),
  );
  server.registerTool(
    'ask',
    {
      title: 'Ask about a call',
      description: `Returns the state and the result of an earlier call. ${FOREIGN}`,
      inputSchema: ASK_INPUT,
      outputSchema: CALL_OUTPUT,
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ call, wait }) =>
      guarded(log, async () => {
        const answer = isUuid(call) ? await calls.ask({ agent, person }, call, wait) : undefined;
        if (!answer) throw notFound();
        return callResult(answer);
      }),
  );
  return server;
}

/** Adds the tools for text files. The leash decides at each call. */
function registerFiles(server: McpServer, { agent, person, calls, log, left }: AgentRequest): void {
  const use = (file: Omit<RunRequest, 'seconds' | 'wait'>) =>
    guarded(log, async () =>
      callResult(await calls.run({ agent, person, request: { ...file, ...FILE_TIMES }, left })),
    );
  server.registerTool(
    'read_file',
    {
      title: 'Read a file',
      description: `Reads a text file, if the leash allows files. Known secrets are masked. ${FOREIGN}`,
      inputSchema: FILE_INPUT,
      outputSchema: CALL_OUTPUT,
      annotations: { readOnlyHint: true },
    },
    ({ host, account, path: command, reason = '' }) =>
      use({ tool: 'read_file', host, account, command, reason, key: undefined }),
  );
  server.registerTool(
    'write_file',
    {
      title: 'Write a file',
      description: 'Creates or replaces a text file, if the leash allows it.',
      inputSchema: WRITE_INPUT,
      outputSchema: CALL_OUTPUT,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
    },
    ({ host, account, path: command, content, reason = '', key }) =>
      use({ tool: 'write_file', host, account, command, content, reason, key }),
  );
}

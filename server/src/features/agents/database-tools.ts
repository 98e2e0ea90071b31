import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import {
  ACCOUNTS,
  type AgentRequest,
  CALL_OUTPUT,
  callResult,
  FOREIGN,
  guarded,
  LIST_INPUT,
  lines,
  name,
  RUN_INPUT,
  resultOf,
} from './tool-shapes.ts';

const DATABASES_OUTPUT = z.object({
  databases: z.array(
    z.object({
      database: z.string(),
      type: z.string(),
      comment: z.string(),
      accounts: ACCOUNTS,
    }),
  ),
  truncated: z.boolean(),
});
const QUERY_INPUT = RUN_INPUT.pick({ reason: true, key: true, seconds: true, wait: true }).extend({
  database: name(128).min(1).describe('A database of list_databases'),
  account: name(128).min(1).optional().describe('An account of list_databases'),
  statement: lines(64 * 1024)
    .min(1)
    .describe('One SQL statement'),
  rows: z.int().min(1).max(1000).default(100).describe('Most rows of the answer'),
  changes: z
    .int()
    .min(0)
    .max(1_000_000)
    .optional()
    .describe(
      'Rows that an UPDATE or DELETE may affect. Without it, the answer shows the rows that it would affect, and nothing is changed',
    ),
});
/** Adds the tools for databases. The leash decides at each call. */
export function registerDatabases(server: McpServer, given: AgentRequest): void {
  const { agent, person, calls, targets, log, left } = given;
  server.registerTool(
    'list_databases',
    {
      title: 'List databases',
      description: 'Lists the databases and accounts that you may query.',
      inputSchema: LIST_INPUT,
      outputSchema: DATABASES_OUTPUT,
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ search = '' }) =>
      guarded(log, async () => resultOf(await targets.listDatabases(agent, person, search))),
  );
  server.registerTool(
    'query',
    {
      title: 'Run a statement',
      description: `Runs one SQL statement in a separate transaction. An UPDATE or DELETE without changes shows its rows only. ${FOREIGN}`,
      inputSchema: QUERY_INPUT,
      outputSchema: CALL_OUTPUT,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
    },
    ({ database: host, statement: command, reason = '', account, key, ...more }) =>
      guarded(log, async () => {
        const request = { tool: 'query', host, account, command, reason, key, ...more } as const;
        return callResult(await calls.run({ agent, person, request, left }));
      }),
  );
}

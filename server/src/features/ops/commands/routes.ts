import type { Readable } from 'node:stream';
import {
  COMMAND_FORM,
  COMMAND_HOST_STATES,
  type CommandHost,
  type CommandHosts,
  choice,
  commandExecution,
  type Fields,
  integer,
  isUuid,
  MOST_COMMAND_HOSTS,
  Permission,
  say,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { type Context, callerOf } from '../../../http/context.ts';
import { exampleId } from '../../../http/openapi/examples.ts';
import { requestedFileType, tableFile } from '../../../http/resources/csv.ts';
import { parameter, readBody, route } from '../../../http/route.ts';
import { rowOf, samples } from '../../../http/shapes.ts';
import { Conflict, Forbidden, invalid, notFound } from '../../../platform/errors.ts';
import type { SettingsService } from '../../../platform/settings/service.ts';
import { type Engines, engineOf } from '../../../resources/engines.ts';
import { readPaging } from '../../../resources/read/page.ts';
import { everyHost, hostOf, hostsOf } from './host-store.ts';
import { type StartOptions, startCommand } from './start.ts';
import { endWaiting } from './store.ts';

const PATH = '/api/v1/ops/command-executions/';
const MOST_ROWS = 500;

const STATES: Fields = {
  state: choice({
    label: { en: 'State', zh: '状态' },
    choices: COMMAND_HOST_STATES,
    required: false,
  }),
};

const HOST: CommandHost = {
  id: exampleId('command_execution_host'),
  asset: exampleId('asset'),
  hostname: 'web-prod-01',
  ip: '10.20.30.41',
  state: 'succeeded',
  rc: 0,
  reason: '',
  stdout: ' 08:30:00 up 3 days\n',
  stderr: '',
  is_cut: false,
  milliseconds: 214,
};
const FAILED: CommandHost = {
  ...HOST,
  state: 'failed',
  rc: null,
  reason: 'The task did not finish within 60 seconds.',
  stdout: '',
};

const COLUMNS = [
  { name: 'hostname', label: { en: 'Hostname', zh: '主机名' } },
  { name: 'ip', label: { en: 'IP', zh: 'IP' } },
  { name: 'state', label: { en: 'State', zh: '状态' } },
  { name: 'rc', label: { en: 'Exit status', zh: '退出码' } },
  { name: 'reason', label: { en: 'Reason', zh: '原因' } },
  { name: 'milliseconds', label: { en: 'Milliseconds', zh: '耗时（毫秒）' } },
  { name: 'stdout', label: { en: 'Output', zh: '输出' } },
  { name: 'stderr', label: { en: 'Error output', zh: '错误输出' } },
] as const;

interface RouteOptions extends StartOptions {
  readonly engines: Engines;
  readonly settings: Pick<SettingsService, 'get'>;
}

/**
 * Mounts the routes of batch commands: start, hosts, cancel (terminal.md, section 2.1). The
 * resource provides lists.
 */
export function mountCommands(app: FastifyInstance, options: RouteOptions): void {
  const { db, engines, jobs, settings } = options;
  /** Reads a batch command of the caller. @throws NotFound, Forbidden if the setting is off */
  const own = (context: Context) =>
    engineOf(engines, commandExecution).reader.retrieve(parameter(context, 'id'), context);

  route(app, {
    method: 'POST',
    url: PATH,
    access: Permission.USE,
    summary:
      'Run a command on granted assets as one system user. The returned id is that of the job.',
    body: COMMAND_FORM,
    // Terminal size, which existing clients send.
    query: {
      rows: integer({ label: { en: 'Rows', zh: '行数' }, required: false }),
      cols: integer({ label: { en: 'Columns', zh: '列数' }, required: false }),
    },
    answer: rowOf(commandExecution),
    status: 201,
    async handler(context) {
      if (!settings.get('SECURITY_COMMAND_EXECUTION')) throw new Forbidden('command_execution_off');
      const {
        hosts,
        run_as: systemUserId,
        command,
        is_canary: isCanary = false,
        failure_limit,
      } = readBody(context, COMMAND_FORM);
      if (hosts.length > MOST_COMMAND_HOSTS)
        throw invalid('hosts', 'list_too_long', { max: MOST_COMMAND_HOSTS });
      if (command.trim() === '') throw invalid('command', 'required');
      const request = {
        hosts,
        systemUserId,
        command: command.replaceAll('\r\n', '\n'),
        isCanary,
        failureLimit: failure_limit ?? 0,
      };
      const id = await startCommand(request, context, callerOf(context), options);
      context.reply.code(201);
      return engineOf(engines, commandExecution).reader.retrieve(id, context);
    },
  });

  route(app, {
    method: 'GET',
    url: `${PATH}:id/hosts/`,
    access: Permission.USE,
    summary:
      'List the hosts of a batch command in order, with the start of their output. `format=csv` returns all hosts with the complete stored output.',
    query: STATES,
    answer: samples<CommandHosts>({ count: 2, results: [HOST, FAILED] }),
    async handler(context): Promise<CommandHosts | Readable> {
      const { id } = await own(context);
      if (requestedFileType(context)) return hostsFile(String(id), context, options);
      const { limit = MOST_ROWS, offset } = readPaging(context.query, MOST_ROWS);
      const stateName = context.query.get('state') || undefined;
      const state = COMMAND_HOST_STATES.find(({ value }) => value === stateName)?.value;
      if (stateName !== undefined && state === undefined)
        throw invalid('state', 'not_choice', { value: stateName.slice(0, 64) });
      return hostsOf(String(id), { state, limit, offset }, context.language, db);
    },
  });

  route(app, {
    method: 'GET',
    url: `${PATH}:id/hosts/:host/`,
    access: Permission.USE,
    summary: 'A host of a batch command with its complete stored output.',
    answer: samples<CommandHost>(HOST, FAILED),
    async handler(context): Promise<CommandHost> {
      const { id } = await own(context);
      const host = parameter(context, 'host');
      const row = isUuid(host) ? await hostOf(String(id), host, context.language, db) : undefined;
      if (!row) throw notFound();
      return row;
    },
  });

  route(app, {
    method: 'POST',
    url: `${PATH}:id/cancel/`,
    access: Permission.USE,
    summary:
      'Cancel a batch command: hosts that have not started are skipped, and running ones are ended.',
    answer: rowOf(commandExecution),
    async handler(context) {
      const row = await own(context);
      const id = String(row.id);
      if (row.is_finished) throw new Conflict('job_not_cancelable');
      await jobs.cancel(id);
      // A command whose job has not started is ended here.
      await endWaiting(id, db);
      return own(context);
    },
  });
}

function hostsFile(
  id: string,
  context: Context,
  { db }: Pick<RouteOptions, 'db'>,
): Promise<Readable> {
  const { language } = context;
  const states = new Map<string, string>(
    COMMAND_HOST_STATES.map(({ value, label }) => [value, say(label, language)]),
  );
  async function* batches(): AsyncGenerator<object[]> {
    for await (const host of everyHost(id, language, db))
      yield [{ ...host, state: states.get(host.state) ?? '' }];
  }
  return tableFile(
    {
      name: 'command_execution',
      columns: COLUMNS.map(({ name, label }) => ({ name, header: say(label, language) })),
    },
    batches(),
    context,
  );
}

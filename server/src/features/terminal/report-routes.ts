import type { Readable } from 'node:stream';
import {
  choicesOf,
  command,
  type Field,
  formatDatetime,
  type LocalText,
  Permission,
  parseDatetime,
  say,
  session,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../http/context.ts';
import { streamedAnswer } from '../../http/resources/stream.ts';
import { route } from '../../http/route.ts';
import { fileOf } from '../../http/shapes.ts';
import { displayName } from '../../platform/actor.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import type { StoredRow } from '../../resources/hooks.ts';
import {
  REPORT_POLICY,
  REPORT_WORDS,
  type ReportFact,
  type ReportRow,
  reportPage,
} from './report.ts';

/** Maximum commands of a report. More is neither readable nor printable. */
export const MOST_REPORTED = 10_000;

const LABELS = {
  made: { en: 'Made', zh: '生成时间' },
  by: { en: 'Made by', zh: '生成人' },
  organization: { en: 'Organization', zh: '组织' },
  filter: { en: 'Filter', zh: '筛选' },
  session: { en: 'Session', zh: '会话' },
  from: { en: 'From', zh: '开始' },
  to: { en: 'To', zh: '结束' },
  search: { en: 'Search', zh: '搜索' },
  all: { en: 'None: all commands', zh: '无：全部命令' },
  running: { en: 'Still running', zh: '进行中' },
} satisfies Record<string, LocalText>;

/** List parameters that do not apply to reports. */
const NOT_FOR_REPORTS = ['limit', 'offset', 'fields', 'format', 'references', 'template'];
const SESSION_FACTS = [
  'user',
  'asset',
  'system_user',
  'protocol',
  'login_from',
  'remote_addr',
  'date_start',
  'date_end',
  'risk_level',
  'replay_state',
] as const;

/** Commands as a printable document for auditors. */
export function mountCommandReport(
  app: FastifyInstance,
  { engines }: { readonly engines: Engines },
): void {
  route(app, {
    method: 'GET',
    url: '/api/v1/terminal/commands/report/',
    access: Permission.AUDIT,
    summary: `Commands as a page to print and to file, by the filters of their list; at the most ${MOST_REPORTED}. The first one first, unless an order is asked for. With session_id, the facts of that session as well.`,
    answer: fileOf('text/html', '<!doctype html><title>Report of commands</title>'),
    async handler(context): Promise<Readable> {
      const { language, query: parameters, zone } = context;
      const query = new URLSearchParams(
        [...parameters].filter(([name]) => !NOT_FOR_REPORTS.includes(name)),
      );
      const id = (query.get('session_id') ?? '').trim();
      // A printed report starts with the first command, in the order of the session or of time.
      if (!query.get('order')) query.set('order', id ? 'sequence' : 'date,sequence');
      query.set('limit', String(MOST_REPORTED + 1));
      // Raises not found for a session of another organization. An empty report would claim that
      // the session had no commands.
      const row = id ? await engineOf(engines, session).reader.retrieve(id, context) : undefined;
      const now = new Date();
      const facts: ReportFact[] = [
        [say(LABELS.made, language), `${formatDatetime(now, zone)} (${zone})`],
        [say(LABELS.by, language), displayName(context.actor)],
        [say(LABELS.organization, language), context.actor.organization.name],
        ...(row ? sessionFacts(row, context) : []),
        [say(LABELS.filter, language), filterText(query, context) || say(LABELS.all, language)],
      ];
      const batches = engineOf(engines, command).reader.stream(query, context, false);
      const page = await streamedAnswer(context, batches, (all) =>
        reportPage(facts, reportRows(all, zone), { language, most: MOST_REPORTED }),
      );
      const moment = formatDatetime(now, zone).slice(0, 19).replace(' ', '_').replaceAll(':', '-');
      context.reply
        .header('content-type', 'text/html; charset=utf-8')
        .header('content-security-policy', REPORT_POLICY)
        .header('cache-control', 'private, no-store')
        .header('content-disposition', `inline; filename="commands_${moment}.html"`);
      return page;
    },
  });
}

async function* reportRows(
  batches: AsyncIterable<StoredRow[]>,
  zone: string,
): AsyncGenerator<ReportRow[]> {
  for await (const batch of batches) {
    yield batch.map((row) => ({
      date: formatDatetime(new Date(Number(row.timestamp) * 1000), zone),
      user: String(row.user),
      asset: String(row.asset),
      account: String(row.system_user),
      session: String(row.session),
      command: String(row.input),
      output: String(row.output),
      isDenied: row.is_denied === true,
      isFailed: row.is_failed === true,
      isDangerous: Number(row.risk_level) > 0,
    }));
  }
}

const valueText = (field: Field | undefined, value: unknown, { language }: Context): string => {
  const choice = choicesOf(field)?.find((one) => String(one.value) === String(value));
  return choice ? say(choice.label, language) : String(value ?? '');
};

function sessionFacts(row: StoredRow, context: Context): ReportFact[] {
  const { language } = context;
  return [
    [say(LABELS.session, language), String(row.id)],
    ...SESSION_FACTS.map((name): ReportFact => {
      const field: Field = session.fields[name];
      const value = valueText(field, row[name], context);
      return [
        say(field.label, language),
        name === 'date_end' && !value ? say(LABELS.running, language) : value || '-',
      ];
    }),
  ];
}

/** Describes the filter of the commands. The session has separate lines. */
function filterText(query: URLSearchParams, context: Context): string {
  const { language, zone } = context;
  const fields: Readonly<Record<string, Field>> = command.fields;
  const parts: string[] = [];
  for (const name of new Set(query.keys())) {
    const value = (query.getAll(name).at(-1) ?? '').trim();
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    const date =
      name === 'date_from' || name === 'date_to' ? parseDatetime(value, zone) : undefined;
    if (value === '') continue;
    if (date)
      parts.push(
        `${say(name === 'date_from' ? LABELS.from : LABELS.to, language)} ${formatDatetime(date, zone)}`,
      );
    else if (name === 'search') parts.push(`${say(LABELS.search, language)} “${value}”`);
    else if (name === 'input') parts.push(`${say(REPORT_WORDS.command, language)} “${value}”`);
    else if (field?.filter)
      parts.push(`${say(field.label, language)} “${valueText(field, value, context)}”`);
    else if (name === 'ids' || name === 'spm' || name.endsWith('__in'))
      parts.push(`${name} “${value}”`);
  }
  return parts.join(' · ');
}

import {
  COMMAND_VERDICTS,
  isDeclined,
  type Language,
  type LocalText,
  say,
} from '@sallyport/contract';
import { PAGE_END, type PageFact, pageStart, shownText } from '../../http/printed-page.ts';

/** A row of the report. */
export interface ReportRow {
  readonly date: string;
  readonly user: string;
  readonly asset: string;
  readonly account: string;
  readonly session: string;
  readonly command: string;
  readonly output: string;
  readonly isDenied: boolean;
  /**
   * True if the database answered the statement with an error. `output` then contains the error.
   */
  readonly isFailed: boolean;
  readonly isDangerous: boolean;
  /** The answer to a question before the command. */
  readonly verdict: string;
}

export const REPORT_WORDS = {
  title: { en: 'Command report', zh: '命令报告' },
  date: { en: 'Time', zh: '时间' },
  user: { en: 'User', zh: '用户' },
  where: { en: 'Asset and account', zh: '资产与账号' },
  command: { en: 'Command and start of its output', zh: '命令及输出开头' },
  result: { en: 'Result', zh: '结果' },
  risk: { en: 'Risk', zh: '风险' },
  sent: { en: 'Sent', zh: '已发送' },
  denied: { en: 'Denied', zh: '已禁止' },
  declined: { en: 'Declined', zh: '已放弃' },
  failed: { en: 'Failed', zh: '失败' },
  ordinary: { en: 'Ordinary', zh: '普通' },
  dangerous: { en: 'Dangerous', zh: '危险' },
  none: { en: 'No matching commands.', zh: '没有符合的命令。' },
  end: {
    en: '{count, plural, one {# command} other {# commands}} in total.',
    zh: '共 {count, number} 条命令。',
  },
  cut: {
    en: 'Incomplete: the report stops after {count, number} commands. Narrow the dates or the filter.',
    zh: '不完整：报告只包含前 {count, number} 条命令。请缩小日期或筛选范围。',
  },
} satisfies Record<string, LocalText>;

/** Styles of the table of commands. */
const STYLE = `
table { table-layout: fixed; }
col.time { width: 12%; } col.user { width: 13%; } col.where { width: 16%; }
col.result { width: 8%; } col.risk { width: 8%; }
pre { margin: 0; font: 12px/1.4 ui-monospace, monospace; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
pre.output { color: #444; }
.dangerous { font-weight: 700; } .cut { font-weight: 700; }
`;

function resultOf({ verdict, isDenied, isFailed }: ReportRow) {
  if (isDeclined(verdict)) return 'declined';
  if (isDenied) return 'denied';
  return isFailed ? 'failed' : 'sent';
}

function rowHtml(row: ReportRow, language: Language): string {
  const w = (text: LocalText) => shownText(say(text, language));
  const mark = row.isDangerous ? ' class="dangerous"' : '';
  const result = resultOf(row);
  const answer = COMMAND_VERDICTS.find(
    ({ value }) => value !== 'none' && value === row.verdict,
  )?.label;
  const cells = [
    shownText(row.date),
    shownText(row.user),
    [row.asset, row.account].map((text) => `${shownText(text)}<br>`).join('') +
      `<small>${shownText(row.session)}</small>`,
    `<pre>${shownText(row.command)}</pre>` +
      (row.output ? `<pre class="output">${shownText(row.output)}</pre>` : ''),
    w(REPORT_WORDS[result]) + (answer ? `<br><small>${w(answer)}</small>` : ''),
    w(row.isDangerous ? REPORT_WORDS.dangerous : REPORT_WORDS.ordinary),
  ];
  return `<tr${mark}>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>\n`;
}

/**
 * Renders a printable page: facts, a table of commands, and a last line that shows that it is
 * complete. It contains no script, and text from a target cannot become one.
 */
export async function* reportPage(
  facts: readonly PageFact[],
  batches: AsyncIterable<readonly ReportRow[]>,
  { language, most }: { readonly language: Language; readonly most: number },
): AsyncGenerator<string> {
  const w = (text: LocalText, values?: Readonly<Record<string, number>>) =>
    shownText(say(text, language, values));
  const { title, date, user, where, command, result, risk } = REPORT_WORDS;
  yield pageStart({ title, language, style: STYLE, facts });
  const columns = ['time', 'user', 'where', '', 'result', 'risk']
    .map((name) => (name ? `<col class="${name}">` : '<col>'))
    .join('');
  const headers = [date, user, where, command, result, risk]
    .map((text) => `<th scope="col">${w(text)}</th>`)
    .join('');
  yield `<table><colgroup>${columns}</colgroup><thead><tr>${headers}</tr></thead><tbody>\n`;
  let count = 0;
  let isCut = false;
  for await (const batch of batches) {
    const part = batch.slice(0, most - count);
    isCut ||= part.length < batch.length;
    count += part.length;
    yield part.map((row) => rowHtml(row, language)).join('');
  }
  yield '</tbody></table>\n';
  if (count === 0) yield `<p>${w(REPORT_WORDS.none)}</p>\n`;
  yield `<p${isCut ? ' class="cut"' : ''}>${w(isCut ? REPORT_WORDS.cut : REPORT_WORDS.end, { count })}</p>\n${PAGE_END}`;
}

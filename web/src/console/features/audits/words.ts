import { catalogue } from '../../../kit/i18n/index.ts';

export const words = catalogue({
  success: { zh: '成功', en: 'Success' },
  failed: { zh: '失败', en: 'Failed' },
  taskLog: { zh: '任务日志', en: 'Run log' },
  noOutput: { zh: '（无输出）', en: '(no output)' },
  verify: { zh: '校验', en: 'Verify' },
  verifyTitle: { zh: '校验日志完整性', en: 'Verify the logs' },
  verifyHint: {
    zh: '每条日志都带有前一条的摘要。校验从头重算全部摘要，并与服务器的封存记录比对，证明日志未被修改、删除或插入。',
    en: 'Each entry contains a hash of the previous one. Verification recomputes all hashes and compares them with the server’s seals. This proves that no entry was changed, removed or inserted.',
  },
  verifying: { zh: '正在校验…', en: 'Verifying…' },
  verifyAgain: { zh: '重新校验', en: 'Verify again' },
  saveProof: { zh: '保存证明', en: 'Save the proof' },
  saveProofHint: {
    zh: '包含结果和每种日志末尾的摘要。保存在其他机器上，以后可证明日志未被更改。',
    en: 'The result with the last hash of each log. Keep the file on another machine to prove later that the logs were not changed.',
  },
  verifyFailed: { zh: '校验未能完成', en: 'The logs could not be verified' },
  allIntact: { zh: '全部日志完整', en: 'All logs are intact' },
  notIntact: { zh: '日志不完整', en: 'The logs are not intact' },
  notAllRead: {
    zh: '日志完整，部分会话无法读取',
    en: 'The logs are intact; some sessions could not be read',
  },
  log: { zh: '日志', en: 'Log' },
  rows: { zh: '条数', en: 'Entries' },
  result: { zh: '结果', en: 'Result' },
  sessions: { zh: '会话与录像', en: 'Sessions and recordings' },
  sessionsProven: { zh: '与结束时一致', en: 'Unchanged since they ended' },
  sessionsBroken: {
    zh: '{count, number} 个会话与结束时不一致：',
    en: '{count, plural, one {# session has} other {# sessions have}} changed since the end:',
  },
  sessionsUnread: {
    zh: '{count, number} 个会话无法读取，将再次校验：',
    en: '{count, plural, one {# session was} other {# sessions were}} not read and will be verified again:',
  },
  sessionsLeft: {
    zh: '比对了最近的 {checked} 个，共 {rows} 个；其余由每晚的校验比对',
    en: 'Compared the newest {checked} of {rows}. The nightly verification compares the rest',
  },
  session_missing: { zh: '记录已被删除', en: 'record removed' },
  session_changed: { zh: '记录或命令被修改', en: 'record or commands changed' },
  recording_missing: { zh: '录像丢失', en: 'recording missing' },
  recording_changed: { zh: '录像被修改', en: 'recording changed' },
  recording_unreadable: { zh: '录像无法读取', en: 'recording unreadable' },
  commands_unreadable: { zh: '命令无法读取', en: 'commands unreadable' },
  andMore: {
    zh: '另有 {count, number} 个',
    en: 'and {count, plural, one {# more} other {# more}}',
  },
  sessionDigests: { zh: '会话摘要', en: 'Session digests' },
  intact: { zh: '完整', en: 'Intact' },
  brokenAt: {
    zh: '第 {number} 条被修改、删除或插入',
    en: 'Entry {number} was changed, removed or inserted',
  },
  brokenWithin: {
    zh: '第 {first} 至 {last} 条之间被修改，其后的摘要被重新计算',
    en: 'Changed between entry {first} and entry {last}; the hashes after it were recomputed',
  },
  verified: { zh: '{when}已校验', en: 'Verified {when}' },
  broken: { zh: '{when}校验未通过', en: 'Failed verification {when}' },
  witnessed: { zh: '{when}已由外部见证', en: 'Witnessed outside {when}' },
  witnessWaiting: { zh: '等待外部见证', en: 'Waits for the outside witness' },
  witnessMissing: {
    zh: '缺少外部见证（{count} 份待签）',
    en: 'Outside witness missing ({count} waiting)',
  },
  neverVerified: { zh: '尚未校验', en: 'Never verified' },
  verifiedBy: { zh: '{date}，由 {by} 校验', en: '{date}, by {by}' },
  verifiedByServer: {
    zh: '{date}，由服务器自动校验（每晚一次）',
    en: '{date}, by the server, which verifies every night',
  },
  sm3Rows: {
    zh: '第 {first} 至 {last} 条另有 SM3 摘要',
    en: 'SM3, too, for entries {first} to {last}',
  },
  removed: {
    zh: '更早的 {count, number} 条已按保留期限清理',
    en: '{count, plural, one {# earlier entry was} other {# earlier entries were}} removed after the retention period',
  },
});

import { catalogue } from '../../../kit/i18n/index.ts';

export const words = catalogue({
  exportEvidence: { zh: '导出证据', en: 'Export evidence' },
  export: { zh: '导出', en: 'Export' },
  ofSession: {
    zh: '文件包含该会话的记录、命令、录像、日志摘要链和外部见证。每次导出都会写入操作日志。',
    en: 'The file contains the record of this session with its commands, recording, chain of digests and tokens of the outside witness. The operation log records the export.',
  },
  ofPeriod: {
    zh: '文件包含这段时间的全部日志、会话、命令、录像和外部见证。每次导出都会写入操作日志。',
    en: 'The file contains all logs, sessions, commands and recordings of the period, with tokens of the outside witness. The operation log records the export.',
  },
  from: { zh: '开始时间', en: 'From' },
  to: { zh: '结束时间', en: 'To' },
  started: {
    zh: '已开始下载，包含 {count, number} 个会话',
    en: 'The download has started: {count, plural, one {# session} other {# sessions}}',
  },
  toVerify: { zh: '校验方法', en: 'To verify the file' },
  saveVerifier: { zh: '下载校验页面', en: 'Download the verifier' },
  keepVerifier: {
    zh: '（一个 HTML 文件，离线可用），与见证机构的 CA 证书一起保存在其他机器上。',
    en: '(one HTML file, which works offline), and keep it on another machine with the CA certificate of the witness.',
  },
  chooseFiles: {
    zh: '在浏览器中打开该页面，选择证据文件和 CA 证书。',
    en: 'Open it in a browser, and choose the evidence file and the CA certificate.',
  },
});

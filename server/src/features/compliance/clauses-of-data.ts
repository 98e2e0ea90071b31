import type { Clause } from './clause.ts';
import { capped, off, on } from './wishes.ts';

/** The clauses of data and machines. */
export const DATA: readonly Clause[] = [
  {
    reference: '8.1.4.4 c',
    title: {
      en: 'Administration is possible from named networks only',
      zh: '限制管理终端的接入地址',
    },
    facts: ['networks'],
  },
  {
    reference: '8.1.4.4 d',
    title: { en: 'Input is validated', zh: '校验输入数据的有效性' },
    builtIn: {
      en: 'Every route declares its input; other input is rejected with the name of its field.',
      zh: '所有接口声明输入格式，不符合的输入被拒绝并指明字段。',
    },
  },
  {
    reference: '8.1.4.4 e',
    title: { en: 'Known vulnerabilities are found and corrected', zh: '发现并修补已知漏洞' },
    organization: {
      en: 'Install updates of the bastion and its operating system; scan the bill of materials of each release.',
      zh: '及时更新堡垒机和操作系统，并按版本的软件物料清单检查漏洞。',
    },
  },
  {
    reference: '8.1.4.5',
    title: { en: 'Malicious code is kept off', zh: '恶意代码防范' },
    organization: {
      en: 'Protect the servers and the targets; the bastion does not scan transferred files.',
      zh: '在服务器和资产上落实防护；堡垒机不扫描传输的文件。',
    },
  },
  {
    reference: '8.1.4.7',
    title: { en: 'Data keeps its integrity in transit and in storage', zh: '传输与存储完整性' },
    wishes: [off('SECURITY_PLAIN_EVENT_RECEIVERS', 'team')],
    builtIn: {
      en: 'Logs and recordings are chained by SHA-256; verification names the first changed row.',
      zh: '日志和录像以 SHA-256 摘要链保护，校验可定位首个被改动的行。',
    },
    organization: {
      en: 'Where national algorithms are required, switch them on, use a certified cryptographic module, and have the cryptography assessed separately.',
      zh: '要求国密算法时，须启用国密算法，采用合规密码模块，并另行开展商用密码应用安全性评估。',
    },
  },
  {
    reference: '8.1.4.8',
    title: { en: 'Data stays confidential in transit and in storage', zh: '传输与存储保密性' },
    wishes: [on('SECURITY_ENCRYPT_RECORDINGS', 'company')],
    facts: ['algorithms'],
    builtIn: {
      en: 'Passwords, keys and secrets are stored encrypted, each bound to its row.',
      zh: '口令、密钥等敏感数据加密存储，并与所在行绑定。',
    },
    organization: {
      en: 'Keep the secret key on another machine, and encrypt the disk of the database.',
      zh: '将主密钥另存到其他机器，并加密数据库所在磁盘。',
    },
  },
  {
    reference: '8.1.4.9 a',
    title: { en: 'Important data is backed up, and its recovery is tried', zh: '本地备份与恢复' },
    wishes: [
      on('BACKUP_ENABLED', 'team'),
      capped('BACKUP_DRILL_DAYS', { team: 30, company: 7, mlps3: 7 }, 'days'),
    ],
    facts: ['backup', 'drill'],
  },
  {
    reference: '8.1.4.9 b',
    title: { en: 'Backups leave the place', zh: '异地备份' },
    facts: ['remote_copy'],
    organization: { en: 'Choose a bucket at another site.', zh: '选择异地的对象存储。' },
  },
  {
    reference: '8.1.4.9 c',
    title: { en: 'Important systems are redundant', zh: '重要系统热冗余' },
    organization: {
      en: 'Run two servers with one database cluster; see the operator guide.',
      zh: '部署两台服务器与数据库集群，参见运维指南。',
    },
  },
  {
    reference: '8.1.4.11',
    title: { en: 'Personal data is collected and used within need', zh: '个人信息按需采集和使用' },
    wishes: [off('TERMINAL_RECORDING_KEYS', 'mlps3')],
    organization: {
      en: 'Inform users about recordings, and name who may replay them.',
      zh: '告知用户会话被录制，并明确可回放的人员。',
    },
  },
];

/** The clauses of the security management center. */
export const MANAGEMENT: readonly Clause[] = [
  {
    reference: '8.1.5.1',
    title: {
      en: 'System administrators work through audited interfaces',
      zh: '系统管理操作受控并审计',
    },
    wishes: [off('SECURITY_SERVICE_ACCOUNT_REGISTRATION', 'mlps3')],
    builtIn: {
      en: 'Each change is in the operate log, with the values before and after.',
      zh: '每次变更均记入操作日志，含变更前后的值。',
    },
  },
  {
    reference: '8.1.5.2',
    title: { en: 'Audit administrators analyze the records', zh: '审计管理员分析审计记录' },
    facts: ['auditors'],
    organization: { en: 'Review the logs on a schedule.', zh: '定期审阅日志。' },
  },
  {
    reference: '8.1.5.4 d',
    title: { en: 'Records are collected centrally', zh: '审计数据集中收集与留存' },
    facts: ['receivers'],
    organization: {
      en: 'Evaluate the events in the log system, with alarms.',
      zh: '在日志系统中分析事件并设置告警。',
    },
  },
];

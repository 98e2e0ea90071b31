import { catalogue } from '../../../../kit/i18n/index.ts';

export const words = catalogue({
  column: { zh: '自有客户端', en: 'Your own client' },
  open: { zh: '获取密码', en: 'Get a password' },
  openNamed: { zh: '获取密码：{name}', en: 'Get a password: {name}' },
  openFor: { zh: '使用自有客户端连接 {name}', en: 'Connect to {name} with your own client' },
  intro: {
    zh: '使用 psql、mysql、DBeaver 等客户端连接。为此需要一个短期密码；数据库本身的密码不会离开 Sallyport。',
    en: 'For psql, mysql, DBeaver and others. You sign in with a short-lived password; that of the database itself never leaves Sallyport.',
  },
  systemUser: { zh: '系统用户', en: 'System user' },
  make: { zh: '生成密码', en: 'Make a password' },
  once: {
    zh: '密码仅显示一次，{until} 前可建立新连接。再次生成后，之前的密码立即失效；退出登录后也会失效。',
    en: 'The password is shown this once, and opens new connections until {until}. A newer one, or signing out, ends it.',
  },
  host: { zh: '主机', en: 'Host' },
  port: { zh: '端口', en: 'Port' },
  username: { zh: '用户名', en: 'User name' },
  password: { zh: '密码', en: 'Password' },
  database: { zh: '数据库', en: 'Database' },
  command: { zh: '命令：{name}', en: 'Command: {name}' },
  fingerprint: { zh: '证书指纹（SHA-256）', en: 'Fingerprint of the certificate (SHA-256)' },
  certificate: { zh: '下载证书', en: 'Download the certificate' },
  tls: { zh: '必须使用 TLS。', en: 'Clients must use TLS.' },
  none: { zh: '没有可用的系统用户。', en: 'There is no system user with a stored password.' },
});

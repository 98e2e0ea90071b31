import { catalogue } from '../../../../kit/i18n/index.ts';

export const words = catalogue({
  column: { zh: '自有客户端', en: 'Your own client' },
  open: { zh: '获取密码', en: 'Get a password' },
  openNamed: { zh: '获取密码：{name}', en: 'Get a password: {name}' },
  openFor: { zh: '使用自有客户端连接 {name}', en: 'Connect to {name} with your own client' },
  intro: {
    zh: '适用于 psql、mysql、DBeaver 等客户端。使用短期密码登录，数据库密码不会离开 Sallyport。',
    en: 'For psql, mysql, DBeaver and other clients. You sign in with a short-lived password. The database password never leaves Sallyport.',
  },
  systemUser: { zh: '系统用户', en: 'System user' },
  make: { zh: '生成密码', en: 'Generate password' },
  once: {
    zh: '密码仅显示一次，{until} 前可建立新连接。重新生成密码或退出登录后，此密码失效。',
    en: 'The password is shown only once. It opens new connections until {until}. Generating another password or signing out revokes it.',
  },
  host: { zh: '主机', en: 'Host' },
  port: { zh: '端口', en: 'Port' },
  username: { zh: '用户名', en: 'Username' },
  password: { zh: '密码', en: 'Password' },
  database: { zh: '数据库', en: 'Database' },
  command: { zh: '命令：{name}', en: 'Command: {name}' },
  noCommand: {
    zh: '名称包含 Shell 会解释的字符，因此不显示命令。请在客户端中填写以下各项。',
    en: 'A name has characters that shells interpret, so no command is shown. Enter these values in your client.',
  },
  fingerprint: { zh: '证书指纹（SHA-256）', en: 'Fingerprint of the certificate (SHA-256)' },
  certificate: { zh: '下载证书', en: 'Download the certificate' },
  tls: { zh: '必须使用 TLS。', en: 'Clients must use TLS.' },
  none: {
    zh: '没有保存了密码的系统用户。',
    en: 'No system user with a stored password is available.',
  },
});

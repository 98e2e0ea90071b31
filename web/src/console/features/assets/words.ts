import { catalogue } from '../../../kit/i18n/index.ts';

export const words = catalogue({
  basic: { zh: '基本', en: 'Basic' },
  node: { zh: '节点', en: 'Node' },
  label: { zh: '标签', en: 'Label' },
  address: { zh: '地址', en: 'Address' },
  auth: { zh: '登录账号', en: 'Sign-in' },
  account: { zh: '账号', en: 'Account' },
  signIn: { zh: '登录方式', en: 'How it signs in' },
  kept: { zh: '在服务器上维护', en: 'Keep it on the servers' },
  limits: { zh: '限制', en: 'Limits' },
  signInWith: { zh: '账号来源', en: 'Account' },
  storedAccount: { zh: '已有管理用户', en: 'Stored admin user' },
  newAccount: { zh: '新建管理用户', en: 'New admin user' },
  newAccountHelp: {
    zh: '保存为管理用户，其他资产也可使用',
    en: 'Saved as an admin user, which other assets can use too',
  },
  place: { zh: '系统和位置', en: 'System and place' },
  isActive: { zh: '激活', en: 'Active' },
  protocol: { zh: '协议', en: 'Protocol' },
  port: { zh: '端口', en: 'Port' },
  addProtocol: { zh: '添加协议', en: 'Add a protocol' },
  removeProtocol: { zh: '移除协议 {name}', en: 'Remove {name}' },
  testGateway: { zh: '测试连接', en: 'Test connection' },
  gatewayWorks: { zh: '网关 {name} 可用', en: 'The gateway {name} works' },
  internalPlatform: {
    zh: '内置系统平台，不能修改或删除',
    en: 'This platform comes with the product and cannot be changed or deleted',
  },
  usedByAssets: {
    zh: '{assets, number} 个资产使用此账号。',
    en: '{assets, plural, one {# asset uses} other {# assets use}} this account.',
  },
  usedByPermissions: {
    zh: '{permissions, number} 条授权在 {assets, number} 个资产上使用此账号。',
    en: '{permissions, plural, one {# permission uses} other {# permissions use}} this account on {assets, plural, one {# asset} other {# assets}}.',
  },
  secretChanged: {
    zh: '密码或密钥更新于 {date}。',
    en: 'The password or key was last changed on {date}.',
  },
  noSecret: { zh: '尚未保存密码或密钥。', en: 'No password or key is stored.' },
  previousSecret: {
    zh: '撤销上次密码或密钥更改',
    en: 'Undo the last change of the password or key',
  },
  takeBack: { zh: '撤销更改', en: 'Undo the change' },
  takeBackQuestion: {
    zh: '恢复“{name}”更改前的密码或密钥？新连接立即使用；当前的密码或密钥保留 {days} 天，可再次恢复。',
    en: 'Restore the previous password or key of {name}? New connections use it immediately. The current one is kept for {days, plural, one {# day} other {# days}}, so you can switch back.',
  },
  takenBack: { zh: '已恢复更改前的密码或密钥', en: 'Previous password or key restored' },
  adminUserHint: {
    zh: '管理用户是资产上的特权账号，用于自动化任务。',
    en: 'Privileged accounts that Sallyport uses for automated tasks.',
  },
  systemUserHint: {
    zh: '系统用户是用户登录资产时使用的账号。',
    en: 'System users are the accounts that users sign in to assets with.',
  },
  domainHint: {
    zh: '网域中的资产通过网关连接。',
    en: 'Sallyport reaches the assets of a domain through its gateways.',
  },
  sshAuthorityHint: {
    zh: 'SSH 证书颁发机构签发短期证书，系统用户凭证书登录信任该机构的目标。最新的机构负责签发；更换时先让目标信任新机构，再删除旧机构。',
    en: 'An SSH authority signs short-lived certificates, with which system users sign in to targets that trust it. The newest one signs. To rotate, let the targets trust a new one before you delete the old one.',
  },
  emptySshAuthorities: {
    zh: '创建证书颁发机构，系统用户即可凭证书登录，无需保存密码或密钥。',
    en: 'Create an authority, and system users sign in without stored passwords and keys.',
  },
  trustTitle: { zh: '目标的配置', en: 'On the targets' },
  trustHint: {
    zh: '目标应信任以下所有机构。推送证书模式的系统用户时会自动写入。',
    en: 'Targets should trust all of these authorities. A push of a system user with certificates writes both files.',
  },
  trustReload: {
    zh: '先用 sshd -t 检查配置，再重新加载 sshd。',
    en: 'Check the configuration with sshd -t, then reload sshd.',
  },
  emptySystemUsers: {
    zh: '创建一个账号，供用户登录资产。',
    en: 'Create an account that users sign in to assets with.',
  },
  gateways: { zh: '网关', en: 'Gateways' },
  assetList: { zh: '资产列表', en: 'Asset list' },
  noSpecial: { zh: '不能包含特殊字符', en: 'Passwords cannot contain special characters' },
  gatewayProtocol: {
    zh: 'SSH：堡垒机登录该服务器。站点：网域内的一台机器主动连接堡垒机，无需开放端口',
    en: 'SSH: Sallyport signs in to a server. Site: a machine of the domain connects to Sallyport, and opens no port',
  },
  connectSite: { zh: '连接站点…', en: 'Connect the site…' },
  siteNotJoined: { zh: '尚未加入', en: 'Has not joined' },
  siteAway: { zh: '未连接，最近 {seen}', en: 'Away since {seen}' },
  siteState: {
    zh: '{count, number} 条，{time, number} 毫秒',
    en: '{count, number}, {time, number} ms',
  },
  siteTitle: { zh: '连接站点 {name}', en: 'Connect the site {name}' },
  siteSteps: {
    zh: '在网域内一台安装了 OpenSSH 的 Linux 机器上执行命令，再以 systemd 服务保存并启动。',
    en: 'Run the command on a Linux machine of the domain that has OpenSSH. Then save and start the service.',
  },
  siteCommand: { zh: '1. 生成密钥并加入', en: '1. Make a key and join' },
  siteUnit: {
    zh: '2. /etc/systemd/system/sallyport-site.service',
    en: '2. /etc/systemd/system/sallyport-site.service',
  },
  siteStart: { zh: '3. 启动', en: '3. Start' },
  siteOnce: {
    zh: '安装密钥仅显示一次，只能使用一次，于 {date} 失效。PermitRemoteOpen 列出站点允许连接的端口，请按需收紧。',
    en: 'The install key is shown once, works once, and expires at {date}. PermitRemoteOpen lists the ports that the site lets Sallyport connect to: tighten it as needed.',
  },
  accounts: { zh: '账号', en: 'Accounts' },
  permissions: { zh: '资产授权', en: 'Permissions' },
  connect: { zh: '连接', en: 'Connect' },
  connectAs: { zh: '选择账号连接…', en: 'Connect as…' },
  copySshCommand: { zh: '复制 SSH 命令', en: 'Copy SSH command' },
  copied: { zh: '已复制：{command}', en: 'Copied: {command}' },
  notCopied: {
    zh: '浏览器不允许复制，请手动复制：{command}',
    en: 'The browser blocks copying. Copy it manually: {command}',
  },
  grantAccess: { zh: '授权…', en: 'Grant access…' },
  noPermissionToConnect: {
    zh: '您没有连接该资产的授权',
    en: 'You have no permission to connect to this asset',
  },
});

import {
  boolean,
  choice,
  choiceLabelOf,
  computed,
  createdAt,
  createdBy,
  id,
  integer,
  many,
  organizationFields,
  secret,
  text,
} from '../../kit/field.ts';
import { defineResource } from '../../kit/resource.ts';
import { PROTOCOL_CHOICES } from '../../protocols/protocols.ts';
import { Permission } from '../../roles.ts';
import { LABEL } from '../labels.ts';
import { accountCharset } from './charset.ts';
import { switchFields } from './switch-user.ts';
import { telnetFields } from './telnet-fields.ts';

/** The account that users work with on an asset. */
export const systemUser = defineResource({
  name: 'system_user',
  table: 'system_account',
  path: 'assets/system-users',
  area: 'assets',
  parameters: ['attention'],
  scope: 'org',
  title: { en: 'System user', zh: '系统用户' },
  access: {
    read: Permission.ADMIN,
    create: Permission.ADMIN,
    update: Permission.ADMIN,
    delete: Permission.ADMIN,
  },
  ignoredFields: ['is_active'],
  feedsGrants: true,
  display: '{name}({username})',
  copyWithout: [],
  searchable: { note: '{username} · {protocol}', pinyin: true },
  restorable: true,
  fields: {
    id: id(),
    name: text({
      label: LABEL.name,
      max: 128,
      unique: 'org',
      search: true,
      order: true,
      filter: true,
    }),
    username: text({
      label: LABEL.username,
      max: 32,
      format: 'username',
      example: 'deploy',
      required: false,
      defaultValue: '',
      search: true,
      order: true,
      filter: true,
    }),
    protocol: choice({
      label: { en: 'Protocol', zh: '协议' },
      choices: PROTOCOL_CHOICES,
      defaultValue: 'ssh',
      filter: true,
      order: true,
      search: true,
    }),
    password: secret({
      label: LABEL.password,
      // Tokens of service accounts are longer than passwords.
      max: 4096,
      help: {
        en: 'The password, the passphrase of the key, or the token of a Kubernetes account',
        zh: '密码、密钥密码，或 Kubernetes 账号的令牌',
      },
    }),
    public_key: secret({ label: LABEL.publicKey, max: 65_536, multiline: true }),
    private_key: secret({ label: LABEL.privateKey, max: 65_536, multiline: true }),
    ssh_public_key: computed.string({ label: { en: 'Public key', zh: '公钥' }, detailOnly: true }),
    auto_generate_key: {
      ...boolean({
        label: { en: 'Generate key automatically', zh: '自动生成密钥' },
        help: {
          en: 'Generates a password and, for ssh, a key pair',
          zh: '生成密码，ssh 还会生成密钥对',
        },
        required: false,
      }),
      mode: 'writeonly',
    },
    login_mode: choice({
      label: { en: 'Sign-in mode', zh: '登录模式' },
      help: {
        en: 'With manual sign-in, users enter the password when they connect. With SSH certificates, the targets trust an SSH authority and no secret is stored',
        zh: '手动登录模式下，用户连接时需自行输入密码；SSH 证书模式下，目标信任 SSH 证书颁发机构，不保存任何密码或密钥',
      },
      choices: [
        { value: 'auto', label: { en: 'Automatic sign-in', zh: '自动登录' } },
        { value: 'manual', label: { en: 'Manual sign-in', zh: '手动登录' } },
        { value: 'certificate', label: { en: 'SSH certificate', zh: 'SSH 证书' } },
      ],
      defaultValue: 'auto',
      filter: true,
    }),
    login_mode_display: choiceLabelOf('login_mode', { en: 'Sign-in mode', zh: '登录模式' }),
    certificate_principals: text({
      label: { en: 'Principals', zh: '证书主体' },
      help: {
        en: 'Names in the certificate, one per line. Leave blank for the username',
        zh: '证书中的名称，每行一个；留空则使用用户名',
      },
      max: 2048,
      multiline: true,
      required: false,
      defaultValue: '',
      example: 'deploy',
      detailOnly: true,
    }),
    certificate_minutes: integer({
      label: { en: 'Certificate validity (minutes)', zh: '证书有效期（分钟）' },
      help: {
        en: 'The certificate is needed only while a connection opens',
        zh: '仅在建立连接时需要证书',
      },
      min: 1,
      max: 60,
      defaultValue: 5,
      detailOnly: true,
    }),
    no_password: boolean({
      label: { en: 'No password', zh: '无需密码' },
      help: {
        en: 'For VNC servers without a password, which only the bastion may reach',
        zh: '用于未设置密码、且仅允许堡垒机访问的 VNC 服务器',
      },
      defaultValue: false,
      yesMeans: 'neither',
    }),
    ...switchFields(),
    ...telnetFields(),
    priority: integer({
      label: { en: 'Priority', zh: '优先级' },
      help: {
        en: '1-100; the account with the highest number is used first',
        zh: '1-100，多个系统用户时优先使用数字最大的',
      },
      min: 1,
      max: 100,
      defaultValue: 20,
      order: true,
    }),
    username_same_with_user: boolean({
      label: { en: 'Username same as user', zh: '用户名与用户相同' },
      defaultValue: false,
      yesMeans: 'neither',
    }),
    auto_push: boolean({
      label: { en: 'Auto push', zh: '自动推送' },
      help: {
        en: 'Creates this account on granted assets and keeps it in sync',
        zh: '在授权的资产上创建该账号，并与此处的设置保持一致',
      },
      defaultValue: true,
      yesMeans: 'neither',
    }),
    sudo: text({
      label: { en: 'Sudo', zh: 'Sudo' },
      help: {
        en: 'Commands that the pushed account may run as any user without a password, in sudoers syntax',
        zh: '推送的账号可免密以任意用户执行的命令，格式与 sudoers 相同',
      },
      multiline: true,
      required: false,
      allowBlank: false,
      defaultValue: '/bin/whoami',
      detailOnly: true,
    }),
    shell: text({
      label: { en: 'Shell', zh: 'Shell' },
      help: { en: 'Shell of the pushed account', zh: '推送账号使用的 Shell' },
      max: 64,
      required: false,
      allowBlank: false,
      defaultValue: '/bin/bash',
      detailOnly: true,
    }),
    home: text({
      label: { en: 'Home folder', zh: '家目录' },
      help: {
        en: 'Leave blank to let the server choose it',
        zh: '留空则由服务器决定',
      },
      max: 128,
      format: 'path',
      example: '/home/deploy',
      required: false,
      defaultValue: '',
      detailOnly: true,
    }),
    charset: accountCharset(),
    sftp_root: text({
      label: { en: 'SFTP root', zh: 'SFTP 根路径' },
      help: {
        en: 'home, tmp or an absolute path, to which file transfer is limited',
        zh: 'home、tmp 或绝对路径，文件传输仅限于该目录之内',
      },
      max: 128,
      format: 'sftpRoot',
      required: false,
      allowBlank: false,
      defaultValue: 'tmp',
    }),
    confirm_all_rows: boolean({
      label: { en: 'Ask before changing all rows', zh: '修改所有行前确认' },
      help: {
        en: 'The workspace asks before UPDATE or DELETE without WHERE, TRUNCATE, DROP, FLUSHALL and FLUSHDB',
        zh: '执行没有 WHERE 的 UPDATE 或 DELETE、TRUNCATE、DROP、FLUSHALL 和 FLUSHDB 前，工作台会要求确认',
      },
      defaultValue: true,
      detailOnly: true,
      yesMeans: 'neither',
    }),
    preview_changes: boolean({
      label: { en: 'Preview changes', zh: '预览更改' },
      help: {
        en: 'Recommended for production: UPDATE and DELETE show how many rows they affect, and the first of them, before they run',
        zh: '建议在生产环境中开启：执行 UPDATE 和 DELETE 前显示受影响的行数和前几行数据',
      },
      defaultValue: false,
      detailOnly: true,
      yesMeans: 'neither',
    }),
    autocommit: boolean({
      label: { en: 'Autocommit', zh: '自动提交' },
      help: {
        en: 'Turn off for production: changes in the workspace then take effect with Commit',
        zh: '生产环境建议关闭：工作台中的更改在提交后才生效',
      },
      defaultValue: true,
      detailOnly: true,
      yesMeans: 'neither',
    }),
    enforced: boolean({
      label: { en: 'Enforced mode', zh: '强制模式' },
      help: {
        en: 'Users run only the commands below, one at a time, without a shell, file transfer or port forwarding',
        zh: '只能逐条执行下列命令，不提供 Shell、文件传输和端口转发',
      },
      defaultValue: false,
      filter: true,
      yesMeans: 'neither',
    }),
    allowed_commands: text({
      label: { en: 'Allowed commands', zh: '允许的命令' },
      help: {
        en: 'One per line, such as systemctl status *, or sftp for file transfer',
        zh: '每行一条，例如 systemctl status *；sftp 表示允许文件传输',
      },
      max: 16_384,
      multiline: true,
      required: false,
      defaultValue: '',
      detailOnly: true,
    }),
    cmd_filters: many({
      label: { en: 'Command filters', zh: '命令过滤器' },
      help: {
        en: 'Their rules decide which commands users may run with this account',
        zh: '其规则决定用户使用该账号时可以执行哪些命令',
      },
      to: 'command_filter',
      through: 'command_filter_system_users',
      required: false,
      detailOnly: true,
    }),
    comment: text({ label: LABEL.comment, required: false, multiline: true, defaultValue: '' }),
    assets_amount: computed.integer({ label: LABEL.assetsAmount }),
    permissions_amount: computed.integer({
      label: { en: 'Permissions', zh: '授权' },
      detailOnly: true,
    }),
    date_secret_changed: computed.datetime({
      label: { en: 'Date secret changed', zh: '密码或密钥更新日期' },
      detailOnly: true,
    }),
    has_previous_secret: computed.boolean({
      label: { en: 'Previous secret kept', zh: '已保留旧密码或密钥' },
      detailOnly: true,
    }),
    date_created: createdAt(),
    created_by: createdBy(),
    ...organizationFields(),
  },
});

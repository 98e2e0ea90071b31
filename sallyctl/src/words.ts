import type { LocalText } from '../../contract/src/index.ts';

export const words = {
  usage: {
    en: `Usage: sallyctl COMMAND

  login [SERVER]             signs this device in: you confirm a code in the console.
                             --user=NAME: the account to sign in with; --no-browser
  logout                     ends the sign-in of this device
  ls [SEARCH]                lists your assets and databases with their accounts.
                             --limit=50, --json
  ssh ASSET[@ACCOUNT] …      opens a shell, or runs a command, with the ssh of this machine
  scp …                      copies files; ASSET[@ACCOUNT]:PATH names a file on an asset
  db DATABASE[@ACCOUNT] …    opens a database with psql, mysql or a prompt over SSH.
                             --print or --json: prints a password for some minutes
  kube CLUSTER[@ACCOUNT]     prints a kubeconfig, in which kubectl gets its tokens from sallyctl
  request NAME --reason=TEXT asks for access. --account=NAME, --minutes=N, --database, --app
  requests                   lists requests for your answer, and your own. --all, --json
  approve ID                 approves a request. --minutes=N, --yes
  deny ID                    refuses a request. --yes
  replay SESSION             plays a recording. --speed=1, --idle=2 (seconds without output)
  --version
  --help

--organization=ID names an organization. Options of ssh, scp and db come before the target.
Exit status: 1 failed, 2 wrong usage, 3 not signed in, 4 not allowed, 5 not found, 6 server
unreachable; ssh, scp and db end with the status of the program.`,
    zh: `用法：sallyctl 命令

  login [服务器]             登录本机：在控制台中确认代码。
                             --user=用户名：要登录的账号；--no-browser
  logout                     结束本机的登录
  ls [关键字]                列出我的资产和数据库及其账号。--limit=50，--json
  ssh 资产[@账号] …          用本机的 ssh 打开终端或执行命令
  scp …                      复制文件；资产[@账号]:路径 表示资产上的文件
  db 数据库[@账号] …         用 psql、mysql 或经 SSH 的命令行打开数据库。
                             --print 或 --json：打印短时有效的密码
  kube 集群[@账号]           打印 kubeconfig，kubectl 由 sallyctl 获取令牌
  request 名称 --reason=原因 申请权限。--account=账号，--minutes=分钟，--database，--app
  requests                   列出待我处理的申请和我的申请。--all，--json
  approve ID                 批准申请。--minutes=分钟，--yes
  deny ID                    拒绝申请。--yes
  replay 会话                播放录像。--speed=1，--idle=2（最长静默秒数）
  --version
  --help

--organization=ID 指定组织。ssh、scp、db 的选项写在目标之前。
退出码：1 失败，2 用法错误，3 未登录，4 无权限，5 未找到，6 无法连接服务器；
ssh、scp、db 以所启动程序的退出码结束。`,
  },
  unknownCommand: {
    en: 'There is no command {name}. Commands: {names}.',
    zh: '没有命令 {name}。可用命令：{names}。',
  },
  unknownFlag: { en: 'There is no flag {name}.', zh: '没有选项 {name}。' },
  usageLine: { en: 'Usage: sallyctl COMMAND', zh: '用法：sallyctl 命令' },
  helpHint: { en: 'sallyctl --help lists the commands.', zh: 'sallyctl --help 列出所有命令。' },
  usageSsh: {
    en: 'Name an asset: sallyctl ssh ASSET[@ACCOUNT]',
    zh: '请指定资产：sallyctl ssh 资产[@账号]',
  },
  usageScp: {
    en: 'Name files on one asset: sallyctl scp FILE ASSET[@ACCOUNT]:PATH',
    zh: '请指定一个资产上的文件：sallyctl scp 文件 资产[@账号]:路径',
  },
  usageDb: {
    en: 'Name a database: sallyctl db DATABASE[@ACCOUNT]',
    zh: '请指定数据库：sallyctl db 数据库[@账号]',
  },
  usageKube: {
    en: 'Name a cluster: sallyctl kube CLUSTER[@ACCOUNT]',
    zh: '请指定集群：sallyctl kube 集群[@账号]',
  },
  usageRequest: {
    en: 'Name a target and the reason: sallyctl request NAME --reason=TEXT',
    zh: '请指定目标和原因：sallyctl request 名称 --reason=原因',
  },
  usageAnswer: {
    en: 'Name a request by the ID that sallyctl requests shows, or its first 4 characters or more.',
    zh: '请用 sallyctl requests 显示的 ID 指定申请，至少前 4 个字符。',
  },
  usageReplay: {
    en: 'Name a session: sallyctl replay SESSION',
    zh: '请指定会话：sallyctl replay 会话',
  },
  badServer: {
    en: '{server} is not an address like https://bastion.example.com',
    zh: '{server} 不是 https://bastion.example.com 这样的地址',
  },
  plainServer: {
    en: '{server} has no TLS, so your sign-in could be read on the way. Use its https address.',
    zh: '{server} 未使用 TLS，登录信息可能被窃取。请使用 https 地址。',
  },
  whichServer: {
    en: 'Name the server: sallyctl login https://bastion.example.com',
    zh: '请指定服务器：sallyctl login https://bastion.example.com',
  },
  unsafeAnswer: {
    en: 'The answer of the server has an unsafe value for {field}, so nothing was started: {value}',
    zh: '服务器返回的 {field} 值不安全，未启动任何程序：{value}',
  },
  unreachable: {
    en: '{server} does not answer: {reason}',
    zh: '{server} 没有响应：{reason}',
  },
  answered: { en: 'The server answered {status}.', zh: '服务器返回 {status}。' },
  notSignedIn: {
    en: 'This device is not signed in. Run: sallyctl login',
    zh: '本机尚未登录，请执行：sallyctl login',
  },
  endedSignIn: {
    en: 'The sign-in of this device has ended. Run: sallyctl login',
    zh: '本机的登录已结束，请执行：sallyctl login',
  },
  openFile: {
    en: '{file} can be read by other accounts. Run: chmod 600 {word}',
    zh: '其他账号可以读取 {file}。请执行：chmod 600 {word}',
  },
  badFile: {
    en: '{file} cannot be read. Delete it, then run: sallyctl login',
    zh: '无法读取 {file}。请删除后执行：sallyctl login',
  },
  openPage: { en: 'Confirm this device in the console:', zh: '请在控制台中确认本机：' },
  compareCode: { en: 'Confirm only if it shows this code:', zh: '仅在显示以下代码时确认：' },
  codeExpired: {
    en: 'The code has expired. Run sallyctl login again.',
    zh: '代码已过期，请重新执行 sallyctl login。',
  },
  signedIn: {
    en: 'Signed in as {name} ({username}) until {date}.',
    zh: '已登录为 {name}（{username}），有效期至 {date}。',
  },
  signedOut: { en: 'The sign-in of this device has ended.', zh: '本机的登录已结束。' },
  notEnded: {
    en: 'This device forgot its sign-in, but the server did not end it: it is valid until {date}. End it in the console: User profile › Devices.',
    zh: '本机已删除登录信息，但服务器未能结束该登录（有效期至 {date}）。请在控制台“个人信息 › 设备”中结束。',
  },
  severalNamed: {
    en: 'Several targets are called {name}. Use the ID:',
    zh: '有多个目标名为 {name}，请使用 ID：',
  },
  noTarget: {
    en: 'You have no access to {name}, or it does not exist. sallyctl ls lists your targets.',
    zh: '您无权访问 {name}，或者它不存在。sallyctl ls 列出您的目标。',
  },
  noAccount: {
    en: 'You have no account on {target}.',
    zh: '您在 {target} 上没有账号。',
  },
  whichAccount: { en: 'Name an account of {target}:', zh: '请指定 {target} 的账号：' },
  sshOff: { en: 'The SSH port of the server is off.', zh: '服务器的 SSH 端口已关闭。' },
  noProgram: {
    en: '{program} is not installed on this machine.',
    zh: '本机未安装 {program}。',
  },
  promptOnly: {
    en: 'Databases of this type open a prompt over SSH and have no password for clients.',
    zh: '此类数据库经 SSH 打开命令行，没有客户端密码。',
  },
  overSsh: {
    en: 'This type of database opens a prompt over SSH.',
    zh: '此类数据库经 SSH 打开命令行。',
  },
  secondFactor: {
    en: 'Code of your second factor: ',
    zh: '双重认证验证码：',
  },
  passwordUntil: {
    en: 'The password of this connection is valid until {date}.',
    zh: '本次连接的密码有效期至 {date}。',
  },
  badMinutes: {
    en: '{value} is not a number of minutes.',
    zh: '{value} 不是有效的分钟数。',
  },
  badLimit: {
    en: '--limit: {value} is not a number from 1 to {max}.',
    zh: '--limit：{value} 不是 1 到 {max} 之间的数。',
  },
  badNumber: {
    en: '{name}: {value} is not a number.',
    zh: '{name}：{value} 不是数字。',
  },
  whichOrganization: {
    en: 'Name the organization of the request with --organization:',
    zh: '请用 --organization 指定申请所属的组织：',
  },
  requested: {
    en: 'Request {id} waits for {assignees}.',
    zh: '申请 {id} 正等待 {assignees} 处理。',
  },
  noRequest: {
    en: 'No single open request for your answer begins with {id}.',
    zh: '没有唯一一个以 {id} 开头、待您处理的申请。',
  },
  decideInConsole: {
    en: 'Assets or accounts must be chosen first. Answer in the console: {url}',
    zh: '须先选择资产或账号，请在控制台中处理：{url}',
  },
  approveQuestion: {
    en: '{who} asks for {what} as {account}: {reason}\nApprove?',
    zh: '{who} 申请以 {account} 访问 {what}：{reason}\n批准？',
  },
  denyQuestion: {
    en: '{who} asks for {what} as {account}: {reason}\nRefuse?',
    zh: '{who} 申请以 {account} 访问 {what}：{reason}\n拒绝？',
  },
  approved: { en: 'Approved: {what} for {who}.', zh: '已批准：{who} 访问 {what}。' },
  proposed: {
    en: 'Approved: {what} for {who}. Another administrator decides on it.',
    zh: '已批准：{who} 访问 {what}，等待另一名管理员审批。',
  },
  denied: { en: 'Refused: {what} for {who}.', zh: '已拒绝：{who} 访问 {what}。' },
  notAnswered: {
    en: 'Nothing was answered. Use --yes to answer without a question.',
    zh: '未做处理。使用 --yes 可不经询问直接处理。',
  },
  badRecording: {
    en: 'The recording cannot be read.',
    zh: '无法读取录像。',
  },
  noTerminal: {
    en: 'Only recordings of terminals play here. Use the console for this one.',
    zh: '此处只能播放终端录像，请在控制台中播放该录像。',
  },
  largerTerminal: {
    en: 'The recorded terminal has {width}×{height} characters; yours is smaller.',
    zh: '录制时的终端为 {width}×{height}，当前终端较小。',
  },
  more: {
    en: '{count, plural, one {# more} other {# more}}: narrow the search, or use --limit.',
    zh: '还有 {count} 个，请缩小搜索范围或使用 --limit。',
  },
  name: { en: 'NAME', zh: '名称' },
  address: { en: 'ADDRESS', zh: '地址' },
  protocols: { en: 'PROTOCOLS', zh: '协议' },
  accounts: { en: 'ACCOUNTS', zh: '账号' },
  organization: { en: 'ORGANIZATION', zh: '组织' },
  id: { en: 'ID', zh: 'ID' },
  who: { en: 'USER', zh: '用户' },
  what: { en: 'TARGET', zh: '目标' },
  account: { en: 'ACCOUNT', zh: '账号' },
  until: { en: 'UNTIL', zh: '有效期至' },
  state: { en: 'STATE', zh: '状态' },
  forAnswer: { en: 'For your answer', zh: '待我处理' },
  ownRequests: { en: 'Your requests', zh: '我的申请' },
  host: { en: 'Host', zh: '主机' },
  port: { en: 'Port', zh: '端口' },
  user: { en: 'User', zh: '用户名' },
  password: { en: 'Password', zh: '密码' },
  database: { en: 'Database', zh: '数据库' },
  fingerprint: { en: 'Certificate (SHA-256)', zh: '证书指纹（SHA-256）' },
} as const satisfies Readonly<Record<string, LocalText>>;

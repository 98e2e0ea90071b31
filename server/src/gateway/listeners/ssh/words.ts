import {
  type ApprovalProgress,
  type Language,
  type LocalText,
  say,
  type TextParams,
} from '@sallyport/contract';

/**
 * Texts of the listener. Those from before the sign-in appear in both languages, because the user's
 * is unknown.
 */
export const words = {
  codeAsked: {
    en: 'Enter the code of your authenticator, or a recovery code.',
    zh: '请输入身份验证器的验证码，或恢复码。',
  },
  questionAsked: {
    en: 'The server that checks your password asks:',
    zh: '验证密码的服务器提出了以下问题：',
  },
  reasonAsked: {
    en: 'A reviewer must approve this connection. Why do you connect?',
    zh: '该连接须经审批，请说明连接原因。',
  },
  reasonPrompt: { en: 'Reason', zh: '原因' },
  approvalWaits: {
    en: 'Waiting for a reviewer. Ctrl-C withdraws the request.',
    zh: '正在等待审批，按 Ctrl-C 撤回。',
  },
  approvalStage: {
    en: 'Waiting for stage {stage} of {stages}.',
    zh: '正在等待第 {stage} 级审批（共 {stages} 级）。',
  },
  factorAsked: {
    en: 'This connection requires a second factor. Enter the code of your authenticator, or a recovery code.',
    zh: '该连接要求双重认证。请输入身份验证器的验证码，或恢复码。',
  },
  factorWrong: {
    en: 'The code is incorrect or was already used. Try again.',
    zh: '验证码不正确或已被使用，请重试。',
  },
  newPasswordAsked: {
    en: 'Your password has expired. Choose a new one.',
    zh: '您的密码已过期，请设置新密码。',
  },
  acceptAsked: {
    en: 'Type yes to accept.',
    zh: '输入 yes 表示接受。',
  },
  acceptFirst: {
    en: 'Accept the text above first: sign in with a browser, or with an SSH client in a terminal.',
    zh: '请先接受以上内容：使用浏览器登录，或在终端中使用 SSH 客户端登录。',
  },
  reviewAsked: {
    en: 'Waiting for a reviewer to confirm this sign-in. Reviewers: {names}. Ctrl-C cancels.',
    zh: '正在等待登录复核。复核人：{names}。按 Ctrl-C 放弃。',
  },
  passkeyOnly: {
    en: 'Your only second factor is a passkey, which a terminal cannot use. Add an authenticator in your profile.',
    zh: '您只设置了通行密钥作为双重认证，终端中无法使用。请在个人信息页添加身份验证器。',
  },
  filesNeedPassword: {
    en: 'The password of this account is not stored, and file transfer cannot ask for it.',
    zh: '该账号的密码未保存，文件传输无法要求输入密码。',
  },
  subsystemUnknown: { en: 'Unknown subsystem.', zh: '未知的子系统。' },
  noTarget: {
    en: 'Specify the server: ssh {username}@ACCOUNT@SERVER@THIS-BASTION',
    zh: '请指明服务器：ssh {username}@账号@服务器@堡垒机',
  },
  jumpPort: {
    en: '{asset} has no SSH at port {port}. Use port 22.',
    zh: '{asset} 的 {port} 端口不提供 SSH，请使用 22 端口。',
  },
  jumpFailed: {
    en: 'The connection failed. Try again later.',
    zh: '连接失败，请稍后重试。',
  },
  assetUnknown: {
    en: 'You have no access to a server named {asset}.',
    zh: '您没有名为 {asset} 的服务器的授权。',
  },
  assetAmbiguous: {
    en: 'Several servers are named {asset}. Use the ID of one of them:',
    zh: '有多台名为 {asset} 的服务器，请改用其中一台的 ID：',
  },
  accountUnknown: {
    en: 'You have no account named {account} on {asset}. Your accounts there:',
    zh: '您在 {asset} 上没有名为 {account} 的账号。可用的账号：',
  },
  accountAmbiguous: {
    en: 'Several accounts match {account} on {asset}. Use the ID of one of them:',
    zh: '{asset} 上有多个账号与 {account} 匹配，请改用其中一个的 ID：',
  },
  accountNone: {
    en: 'You have no account on {asset} that can open a terminal.',
    zh: '您在 {asset} 上没有可打开终端的账号。',
  },
  databaseAmbiguous: {
    en: 'Several databases are named {database}. Use the ID of one of them:',
    zh: '有多个名为 {database} 的数据库，请改用其中一个的 ID：',
  },
  databaseNoAccount: {
    en: 'You have no account on {database}.',
    zh: '您在 {database} 上没有可用的账号。',
  },
  databaseTerminal: {
    en: 'Databases need a terminal: ssh -t. Programs connect to the database listeners.',
    zh: '请在终端中使用数据库：ssh -t。程序请连接数据库监听端口。',
  },
  accountOpen: {
    en: 'You have several accounts on {asset}. Specify one of them:',
    zh: '您可以使用 {asset} 上的多个账号，请指明其中一个：',
  },
  needsTerminal: {
    en: 'The password of this account is not stored. Connect with a terminal (ssh -t) and enter the password.',
    zh: '该账号的密码未保存，请使用终端连接（ssh -t）后输入密码。',
  },
  usernameAsked: { en: 'Username', zh: '用户名' },
  passwordAsked: { en: "{account}'s password", zh: '{account} 的密码' },
  rejected: {
    en: 'The server did not accept the password. Try again.',
    zh: '服务器未接受，请重试。',
  },
  guestWatches: {
    en: '{name} joined this session and watches.',
    zh: '{name} 已进入此会话，正在观看。',
  },
  guestTypes: {
    en: '{name} joined this session and may type.',
    zh: '{name} 已进入此会话，可以输入。',
  },
  guestMayType: { en: '{name} may type from now on.', zh: '{name} 现在可以输入。' },
  guestMayWatch: { en: '{name} may only watch from now on.', zh: '{name} 现在只能观看。' },
  guestLeft: { en: '{name} left this session.', zh: '{name} 已离开此会话。' },
  tooManyFailures: {
    en: 'Too many authentication failures. Connect again for another attempt.',
    zh: '登录失败次数过多，请重新连接后再试。',
  },
  tooManyKeys: {
    en: 'The client offered too many keys (limit: {limit}). Select one, in OpenSSH with IdentitiesOnly.',
    zh: '客户端提供的密钥过多（上限：{limit}）。请只选择一个，OpenSSH 请使用 IdentitiesOnly。',
  },
  tooManyConnections: {
    en: 'Too many connections of this user or address are open.',
    zh: '该用户或该地址打开的连接过多。',
  },
  silentSite: {
    en: 'This site does not answer.',
    zh: '该站点没有响应。',
  },
  manyUnauthenticated: {
    en: 'Too many connections of this address have not signed in yet. Try again soon.',
    zh: '该地址有过多连接尚未登录，请稍后再试。',
  },
  serverBusy: {
    en: 'Too many connections to this server have not signed in yet. Try again soon.',
    zh: '该服务器有过多连接尚未登录，请稍后再试。',
  },
  noIntroduction: {
    en: 'The client did not begin the key exchange in time.',
    zh: '客户端未及时开始密钥交换。',
  },
  signInTimeout: {
    en: 'The sign-in took too long. Connect again.',
    zh: '登录超时，请重新连接。',
  },
  reviewTimeout: {
    en: 'No reviewer confirmed this sign-in in time.',
    zh: '登录复核超时。',
  },
  noProxyHeader: {
    en: 'The proxy sent no valid PROXY protocol header, which the configuration of this server requires.',
    zh: '代理未发送有效的 PROXY 协议头，而本服务器的配置要求发送。',
  },
  failed: {
    en: 'The server failed. Try again later.',
    zh: '服务器内部错误，请稍后再试。',
  },
  notAccepted: {
    en: 'The text before sign-in was not accepted.',
    zh: '未接受登录前的提示。',
  },
  signedOut: { en: 'This sign-in has ended.', zh: '该登录已结束。' },
  stopping: {
    en: 'The server is shutting down. Connect again later.',
    zh: '服务器正在关闭，请稍后重新连接。',
  },
  beyondWindow: {
    en: 'The client sent more data than the channel accepts.',
    zh: '客户端发送的数据超过通道的接收窗口。',
  },
  readsNothing: {
    en: 'The client sends requests and does not read the answers.',
    zh: '客户端持续发送请求，但未读取应答。',
  },
  busy: { en: 'This connection has too many sessions open.', zh: '该连接打开的会话过多。' },
} as const satisfies Record<string, LocalText>;

/** Says that a connection waits for a reviewer, or for which stage of the approval. */
export const sayWaits = (language: Language, progress?: ApprovalProgress): string =>
  progress
    ? say(words.approvalStage, language, { ...progress })
    : say(words.approvalWaits, language);

/** Returns a text in both languages, for users whose language is unknown. */
export function inBoth(text: LocalText, params?: TextParams): string {
  return `${say(text, 'en', params)} / ${say(text, 'zh', params)}`;
}

/**
 * Returns the language of a client's environment: LC_ALL, LC_MESSAGES, then LANG. Defaults to
 * English, because such a terminal may not show Chinese.
 */
export function languageOf(environment: Readonly<Record<string, string>>): Language {
  const locale = environment.LC_ALL || environment.LC_MESSAGES || environment.LANG || '';
  return /^zh/i.test(locale) ? 'zh' : 'en';
}

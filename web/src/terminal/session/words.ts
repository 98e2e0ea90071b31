import { catalogue } from '../../kit/i18n/index.ts';

/** Words of one connection: its stages, its questions and its ends. */
export const words = catalogue({
  loadingAccounts: { zh: '正在读取可用账号', en: 'Loading your accounts' },
  chooseAccount: { zh: '选择系统用户', en: 'Choose a system user' },
  foundAccounts: {
    zh: '找到 {count, number} 个系统用户',
    en: '{count, plural, one {# system user} other {# system users}} found',
  },
  chooseByDigit: { zh: '点击或按数字键即可连接。', en: 'Click an account or press its digit.' },
  moreAccounts: {
    zh: '显示其他 {count, number} 个账号',
    en: 'Show {count, plural, one {# more account} other {# more accounts}}',
  },
  manualLogin: { zh: '手动登录', en: 'Prompts for a password' },
  connectingTo: { zh: '正在连接 {host}', en: 'Connecting to {host}' },
  stageChecking: { zh: '检查授权', en: 'Checking permission' },
  stageGateway: { zh: '经过网关', en: 'Passing the gateway' },
  stageConnecting: { zh: '连接服务器', en: 'Connecting to the server' },
  stageAuthenticating: { zh: '验证身份', en: 'Signing in' },
  stageOpening: { zh: '打开会话', en: 'Opening the session' },
  credentialsTitle: { zh: '登录 {host}', en: 'Sign in to {host}' },
  credentialsHint: {
    zh: '此账号需要手动登录。密码只用于本次连接，不会保存。',
    en: 'Enter the password of this account. It is used for this connection only and not stored.',
  },
  credentialsRejected: {
    zh: '{host} 不接受该用户名或密码，请重试。',
    en: '{host} did not accept the username or password. Try again.',
  },
  factorTitle: { zh: '连接 {host} 需要双重认证', en: 'Second factor for {host}' },
  factorHint: {
    zh: '该连接的授权要求重新通过双重认证。',
    en: 'The permission for this connection requires a new second factor.',
  },
  factorCode: { zh: '验证码或恢复码', en: 'Code of your authenticator, or a recovery code' },
  factorWrong: {
    zh: '验证码不正确或已被使用，请重试。',
    en: 'The code is incorrect or was already used. Try again.',
  },
  factorNeeded: { zh: '请输入验证码', en: 'Enter a code' },
  confirmFactor: { zh: '验证', en: 'Confirm' },
  username: { zh: '用户名', en: 'Username' },
  password: { zh: '密码', en: 'Password' },
  usernameNeeded: { zh: '请填写用户名', en: 'Enter a username' },
  signIn: { zh: '登录', en: 'Sign in' },
  reconnect: { zh: '重新连接', en: 'Reconnect' },
  enterReconnects: { zh: '按 Enter 重新连接', en: 'Press Enter to reconnect' },
  otherAccount: { zh: '选择其他账号', en: 'Choose another account' },
  closeTab: { zh: '关闭标签页', en: 'Close tab' },
  elapsed: { zh: '已用 {seconds, number} 秒', en: '{seconds, number} s' },
  cancel: { zh: '取消', en: 'Cancel' },
  reconnectedAt: { zh: '── 已重新连接 · {time} ──', en: '── reconnected · {time} ──' },
  awayTitle: { zh: '连接中断，正在重新连接', en: 'Connection lost, reconnecting' },
  awayHint: {
    zh: '服务器上的会话仍在运行，还会保留 {time}。',
    en: 'Your shell keeps running on the server, for {time} more.',
  },
  returning: { zh: '正在恢复会话', en: 'Returning to the session' },
  tryNow: { zh: '立即重试', en: 'Try now' },
  typedTogether: {
    zh: '输入同时发送到所有显示的终端',
    en: 'Input goes to all terminals shown',
  },
  dropHere: { zh: '松开鼠标，上传到 {name}', en: 'Drop to upload to {name}' },
  sessionId: { zh: '会话 ID', en: 'Session ID' },
  account: { zh: '账号', en: 'Account' },
  emergencyLeft: { zh: '剩余 {time}', en: '{time} left' },
  endNow: { zh: '立即结束', en: 'End now' },
  endEmergencyTitle: { zh: '结束紧急访问？', en: 'End emergency access?' },
  endEmergencyQuestion: {
    zh: '使用此紧急访问的所有会话会立即断开。',
    en: 'All sessions that use this emergency access are disconnected immediately.',
  },
  emergencyEnded: { zh: '紧急访问已结束', en: 'Emergency access ended' },
  old: { zh: '旧 SSH 算法', en: 'Old SSH' },
  oldHint: {
    zh: '与服务器的连接使用过时的算法：{names}',
    en: 'The connection to the server uses outdated algorithms: {names}',
  },
});

/** Titles of ends, and the next steps. */
export const endWords = catalogue({
  deniedTitle: { zh: '没有连接权限', en: 'You have no permission to connect' },
  deniedHint: {
    zh: '您需要该资产和系统用户的授权。',
    en: 'You need a permission for this asset and account.',
  },
  expiredTitle: { zh: '授权已到期', en: 'Your permission has ended' },
  conditionTitle: { zh: '不满足访问条件', en: 'A condition does not hold' },
  expiredHint: {
    zh: '延长授权后才能连接。',
    en: 'Ask for an extension to connect again.',
  },
  inactiveTitle: { zh: '资产已被禁用', en: 'The asset is disabled' },
  inactiveHint: { zh: '管理员激活后才能连接。', en: 'An administrator can activate it again.' },
  noAccountTitle: {
    zh: '该资产没有授权给您的系统用户',
    en: 'You have no system user for this asset',
  },
  noAccountHint: {
    zh: '需要在授权中加入系统用户。',
    en: 'Your permission needs a system user.',
  },
  accountsFailedTitle: { zh: '无法读取可用账号', en: 'Could not load your accounts' },
  unreachableTitle: { zh: '无法连接到服务器', en: 'Cannot reach the server' },
  unreachableHint: {
    zh: '请确认服务器已开机、网络可达、端口正确，然后重试。',
    en: 'Check that the server is on, its network is reachable and the port is correct, then try again.',
  },
  refusedHint: {
    zh: '服务器在线，但 SSH 服务未在该端口监听或被防火墙拒绝。',
    en: 'The server is up, but nothing accepts SSH on this port, or a firewall blocks it.',
  },
  noGreetingHint: {
    zh: 'SSH 服务可能正在启动、连接数已满，或被防火墙拦截。请稍后重试。',
    en: 'SSH may be starting, at its limit of connections, or blocked by a firewall. Try again in a moment.',
  },
  credentialsTitle: { zh: '登录凭据被拒绝', en: 'The credentials were not accepted' },
  credentialsHint: {
    zh: '请联系管理员检查该系统用户的密码或密钥。',
    en: 'Ask an administrator to check the password or key of this system user.',
  },
  hostKeyTitle: { zh: '主机密钥已变更', en: 'The host key has changed' },
  hostKeyHint: {
    zh: '服务器可能已重装，也可能被冒充。请核对资产详情中的指纹。',
    en: 'The server may have been reinstalled, or an attacker may be impersonating it. Compare the fingerprints on the asset’s page.',
  },
  finishedTitle: { zh: '会话已结束', en: 'The session has ended' },
  finishedHint: {
    zh: '回滚内容仍可查看和搜索。',
    en: 'You can still read and search the output.',
  },
  cancelledTitle: { zh: '已取消连接', en: 'Connection canceled' },
  restoredTitle: { zh: '未连接', en: 'Disconnected' },
  restoredHint: {
    zh: '之前的会话已结束。按 Enter 重新连接。',
    en: 'The session from before the page was reloaded has ended. Press Enter to reconnect.',
  },
  leftTitle: { zh: '断线时间过长，会话已关闭', en: 'Browser disconnected too long' },
  movedTitle: { zh: '会话已在另一个窗口中继续', en: 'The session continues in another window' },
  movedHint: { zh: '重新连接即可回到此窗口。', en: 'Reconnect to continue in this window.' },
  lostTitle: { zh: '连接已断开', en: 'The connection was lost' },
  protocolTitle: { zh: '服务器响应异常', en: 'Unexpected response from the server' },
  databaseMissingTitle: { zh: '数据库不存在', en: 'Database not found' },
  outdatedTitle: { zh: '服务器的 SSH 已过时', en: 'The server’s SSH is outdated' },
  protocolHint: {
    zh: '请确认该端口上运行的是 SSH 服务。',
    en: 'Check that this port runs SSH.',
  },
  terminatedTitle: { zh: '会话被管理员终断', en: 'An administrator ended the session' },
  idleTitle: { zh: '空闲超时，连接已断开', en: 'Idle timeout' },
  tooLongTitle: { zh: '已达到会话最长时长', en: 'Maximum session duration reached' },
  signedOutTitle: { zh: '您已退出登录', en: 'You are signed out' },
  recordingTitle: { zh: '会话无法录像', en: 'The session could not be recorded' },
  recordingHint: {
    zh: '未录像的会话不允许继续，请联系管理员检查存储空间。',
    en: 'Sessions cannot continue without recording. Ask an administrator to check the storage.',
  },
  stoppingTitle: { zh: '堡垒机正在停止', en: 'Sallyport is stopping' },
  stoppingHint: { zh: '稍后重新连接即可。', en: 'Reconnect in a moment.' },
  failedTitle: { zh: '连接失败', en: 'The connection failed' },
  lineRefused: {
    zh: '无法连接堡垒机，请检查网络和登录状态。',
    en: 'Sallyport could not be reached. Check the network and that you are signed in.',
  },
  lineLost: {
    zh: '与堡垒机的连接中断，会话可能已结束。',
    en: 'Connection to Sallyport lost; the session has ended.',
  },
});

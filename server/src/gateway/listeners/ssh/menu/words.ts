import type { LocalText } from '@sallyport/contract';

export const words = {
  welcome: { en: '{name}, welcome to Sallyport.', zh: '{name}，欢迎使用 Sallyport 堡垒机。' },
  keyPart: { en: 'part', zh: '内容' },
  keyNumber: { en: 'number', zh: '编号' },
  helpSearch: {
    en: 'part of a hostname, address or comment; connects where only one is found',
    zh: '部分主机名、IP 或备注，只找到一台服务器时直接连接',
  },
  helpList: {
    en: 'search and list; // searches within the results',
    zh: '搜索并列出；用 // 在结果中继续搜索',
  },
  helpAssets: { en: 'your servers', zh: '授权给您的服务器' },
  helpNodes: {
    en: 'nodes; with a number, such as g2, the servers of a node',
    zh: '节点；加编号（如 g2）显示该节点的服务器',
  },
  helpDatabases: {
    en: 'your databases; with a part, search them',
    zh: '授权给您的数据库；加部分内容进行搜索',
  },
  helpPages: { en: 'next page, previous page', zh: '下一页，上一页' },
  helpRow: { en: 'connect to this row', zh: '连接该行' },
  helpShare: {
    en: 'your running sessions and how to invite a colleague',
    zh: '您正在运行的会话，以及如何邀请同事',
  },
  helpJoin: {
    en: 'join a colleague with an invitation; auditors: watch a session by its ID',
    zh: '用邀请码进入同事的会话；审计员可用会话 ID 实时监控',
  },
  helpRefresh: { en: 'refresh servers and nodes', zh: '刷新服务器和节点' },
  helpLeave: { en: 'show this help, leave', zh: '显示帮助，退出' },
  hostname: { en: 'Hostname', zh: '主机名' },
  ip: { en: 'IP', zh: 'IP' },
  comment: { en: 'Comment', zh: '备注' },
  name: { en: 'Name', zh: '名称' },
  username: { en: 'Username', zh: '用户名' },
  condition: { en: 'Condition', zh: '访问条件' },
  type: { en: 'Type', zh: '类型' },
  database: { en: 'Database', zh: '数据库' },
  databaseCaption: {
    en: 'Page {page} of {pages}, {count, plural, one {# database} other {# databases}}',
    zh: '第 {page} 页，共 {pages} 页，{count, number} 个数据库',
  },
  caption: {
    en: 'Page {page} of {pages}, {count, plural, one {# server} other {# servers}}',
    zh: '第 {page} 页，共 {pages} 页，{count, number} 台服务器',
  },
  nothing: { en: 'Nothing found.', zh: '未找到。' },
  refreshed: { en: 'Servers and nodes refreshed.', zh: '服务器和节点已刷新。' },
  lastPage: { en: 'This is the last page.', zh: '已经是最后一页。' },
  choose: { en: 'Choose an account by its number; q goes back.', zh: '请输入账号的编号；q 返回。' },
  connecting: { en: 'Connecting to {account}@{asset} …', zh: '正在连接 {account}@{asset} …' },
  noTerminal: {
    en: 'This session has no terminal to watch. The file transfer log lists its file operations.',
    zh: '该会话没有可监控的终端，其文件操作见文件传输日志。',
  },
  account: { en: 'Account', zh: '账号' },
  running: { en: 'Running', zh: '已运行' },
  guests: { en: 'Guests', zh: '访客' },
  minutes: { en: '{minutes} min', zh: '{minutes} 分钟' },
  openInvitations: {
    en: '{open, plural, one {# open invitation} other {# open invitations}}',
    zh: '{open, number} 个有效邀请',
  },
  noOwnSessions: { en: 'You have no running terminal.', zh: '您没有正在运行的终端会话。' },
  noOwnSession: {
    en: 'No session has this number. share lists your sessions.',
    zh: '没有该编号的会话，输入 share 查看您的会话。',
  },
  shareHow: {
    en: 'share and a number invites a colleague to watch; add type to allow typing; a final number sets the minutes: share 1 type 60.',
    zh: 'share 加编号邀请同事观看；再加 type 允许输入；最后的数字为分钟数：share 1 type 60。',
  },
  shareMinutes: {
    en: 'An invitation is valid for one of these durations in minutes: {minutes}; 0 = until the session ends.',
    zh: '邀请的有效分钟数可为：{minutes}；0 表示直到会话结束。',
  },
  invitedToWatch: {
    en: 'A colleague may watch {asset} {time} with one of these lines. They are shown only once.',
    zh: '一位同事可用以下任一行观看 {asset}（{time}）。内容只显示一次。',
  },
  invitedToType: {
    en: 'A colleague may watch {asset} and type {time} with one of these lines. They are shown only once.',
    zh: '一位同事可用以下任一行观看 {asset} 并输入（{time}）。内容只显示一次。',
  },
  validMinutes: {
    en: 'for {minutes, plural, one {# minute} other {# minutes}}',
    zh: '{minutes, number} 分钟内有效',
  },
  validWhole: { en: 'until the session ends', zh: '直到会话结束' },
  unshared: {
    en: '{ended, plural, one {# invitation} other {# invitations}} ended.',
    zh: '已结束 {ended, number} 个邀请。',
  },
  nothingShared: { en: 'No open invitations.', zh: '没有有效的邀请。' },
  visiting: {
    en: 'You are a guest of {user} on {asset}. Ctrl-] leaves.',
    zh: '您正在 {user} 的 {asset} 会话中，按 Ctrl-] 离开。',
  },
  joining: { en: 'Joining the session …', zh: '正在进入会话…' },
  guestTypes: {
    en: 'You may type. Your input is recorded under your name.',
    zh: '您可以输入，输入的内容以您的名字记录。',
  },
  guestWatches: {
    en: 'You are watching. Your keys are not sent.',
    zh: '您正在观看，您的按键不会发送。',
  },
  anyKey: { en: 'Press any key.', zh: '按任意键继续。' },
  watchLost: { en: 'The connection to the session was lost.', zh: '与会话的连接已断开。' },
  noSession: {
    en: 'No live session with this ID is available to you.',
    zh: '没有您可监控的、具有该 ID 的在线会话。',
  },
  watching: {
    en: 'You are watching, read-only. Press q to leave.',
    zh: '您正在监控（只读），按 q 退出。',
  },
} as const satisfies Record<string, LocalText>;

import type { LocalText } from '@sallyport/contract';

/** The texts of the menu. */
export const words = {
  welcome: { en: '{name}, welcome to Sallyport.', zh: '{name}，欢迎使用 Sallyport 堡垒机。' },
  helpSearch: {
    en: 'part of a hostname, address or comment: connects where only one server is found',
    zh: '部分主机名、IP 或备注：只找到一台服务器时直接连接',
  },
  helpList: { en: '/ and a part: search and list; // and a part: search in what is listed', zh: '/ 加部分内容：搜索并列出；// 加部分内容：在结果中继续搜索' },
  helpAssets: { en: 'p: the servers that you are granted', zh: 'p：显示授权给您的服务器' },
  helpNodes: { en: 'g: the nodes; g and a number: the servers of a node', zh: 'g：显示节点；g 加编号：显示该节点的服务器' },
  helpPages: { en: 'n or Enter: next page; b: page before; a number: connect to that row', zh: 'n 或回车：下一页；b：上一页；数字：连接该行的服务器' },
  helpRefresh: { en: 'r: read servers and nodes again; h: this help; q: leave', zh: 'r：刷新服务器和节点；h：显示帮助；q：退出' },
  helpJoin: { en: 'join and the id of a session: watch it', zh: 'join 加会话 ID：实时监控该会话' },
  hostname: { en: 'Hostname', zh: '主机名' },
  ip: { en: 'IP', zh: 'IP' },
  comment: { en: 'Comment', zh: '备注' },
  name: { en: 'Name', zh: '名称' },
  username: { en: 'Username', zh: '用户名' },
  caption: { en: 'Page {page} of {pages}, {count, plural, one {# server} other {# servers}}', zh: '第 {page} 页，共 {pages} 页，{count, number} 台服务器' },
  nothing: { en: 'Nothing was found.', zh: '没有找到。' },
  refreshed: { en: 'Servers and nodes were read again.', zh: '服务器和节点已刷新。' },
  lastPage: { en: 'This is the last page.', zh: '已经是最后一页。' },
  choose: { en: 'Choose an account by its number; q goes back.', zh: '请输入账号的编号；q 返回。' },
  connecting: { en: 'Connecting to {account}@{asset} …', zh: '正在连接 {account}@{asset} …' },
  noSession: { en: 'There is no live session with this id that you may watch.', zh: '没有您可以监控的该 ID 的在线会话。' },
  watching: { en: 'You are watching, read-only. Press q to leave.', zh: '您正在监控（只读），按 q 退出。' },
  watchEnded: { en: 'The session has ended.', zh: '会话已结束。' },
} as const satisfies Record<string, LocalText>;

import { catalogue } from '../../../../kit/i18n/index.ts';

export const words = catalogue({
  phrase: { zh: '屏幕上的文字', en: 'Text on the screen' },
  hint: {
    zh: '查找终端会话显示过的文字（不区分大小写），结果按会话时间从新到旧排列。',
    en: 'Finds text that terminal sessions showed, in any case. The newest sessions come first.',
  },
  limits: {
    zh: '包含终端会话的录像，最早为开启搜索前 7 天；图形桌面、快速滚过的文字和超长会话的后段不在索引中。会话结束后约一分钟可搜索。',
    en: 'Covers recorded terminals, beginning 7 days before the search was switched on. Desktops, text that scrolled by quickly, and the rest of very long sessions are not indexed. A session can be found about a minute after its end.',
  },
  search: { zh: '搜索', en: 'Search' },
  off: {
    zh: '屏幕内容搜索未开启。超级管理员可在“系统设置 › 终端设置”中开启。',
    en: 'Screen search is off. Super administrators switch it on under Settings › Terminal.',
  },
  plain: { zh: '加密的录像不在索引中。', en: 'Encrypted recordings are not indexed.' },
  none: { zh: '没有会话显示过该文字', en: 'No session showed this text' },
  noneYet: {
    zh: '较新的会话未显示过该文字，更早的会话尚未搜索',
    en: 'The newer sessions did not show this text. Older sessions were not searched yet',
  },
  older: { zh: '搜索更早的会话', en: 'Search older sessions' },
  commands: { zh: '在命令和 SQL 语句中查找', en: 'Search commands and statements' },
  found: {
    zh: '{count, number} 行',
    en: '{count, plural, one {# line} other {# lines}}',
  },
  more: {
    zh: '显示 {count, number} 行，每个会话最多五行；输入更具体的文字可查看其他结果',
    en: '{count, plural, one {# line} other {# lines}}, at most five of a session. Enter a longer text to see others',
  },
  replayAt: { zh: '从 {time} 开始回放', en: 'Replay from {time}' },
});

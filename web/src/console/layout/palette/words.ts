import { catalogue } from '../../../kit/i18n/index.ts';

export const words = catalogue({
  recent: { zh: '最近访问', en: 'Recent' },
  used: { zh: '最近使用', en: 'Recently used' },
  pages: { zh: '页面', en: 'Pages' },
  commands: { zh: '操作', en: 'Actions' },
  check: { zh: '访问检查', en: 'Access check' },
  checkQuestion: { zh: '{user} 能否访问 {asset}？', en: 'Can {user} reach {asset}?' },
  open: { zh: '打开', en: 'Open' },
  edit: { zh: '编辑', en: 'Edit' },
  connect: { zh: '连接', en: 'Connect' },
  connectAs: { zh: '选择账号连接…', en: 'Connect as…' },
  permissions: { zh: '查看授权', en: 'Permissions' },
  sessions: { zh: '查看会话', en: 'Sessions' },
  dark: { zh: '切换到深色主题', en: 'Switch to dark theme' },
  light: { zh: '切换到浅色主题', en: 'Switch to light theme' },
  organization: { zh: '切换组织 {name}', en: 'Switch organization {name}' },
  signOut: { zh: '退出登录', en: 'Sign out' },
  createAsset: { zh: '创建资产', en: 'Create asset' },
});

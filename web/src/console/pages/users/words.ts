import { catalogue } from '../../../kit/i18n/index.ts';

/** The words of the pages about people. */
export const words = catalogue({
  account: { zh: '账户', en: 'Account' },
  authentication: { zh: '认证', en: 'Authentication' },
  secure: { zh: '安全', en: 'Secure' },
  other: { zh: '其它', en: 'Other' },
  basic: { zh: '基本', en: 'Basic' },
  updatePassword: { zh: '更新密码', en: 'Update password' },
  setPublicKey: { zh: '设置SSH公钥', en: 'Set SSH public key' },
  basicInfo: { zh: '基本信息', en: 'Basic info' },
  grantedAssets: { zh: '授权的资产', en: 'Granted assets' },
  permissionRules: { zh: '资产授权规则', en: 'Asset permission rules' },
  activate: { zh: '激活', en: 'Activate' },
  resetPassword: { zh: '重置密码', en: 'Reset password' },
  reset: { zh: '重置', en: 'Reset' },
  newPassword: { zh: '新密码', en: 'New password' },
  resetHint: { zh: '该用户的其它登录会话将被注销。', en: 'Every sign-in of this person ends.' },
  unblockLogin: { zh: '解锁用户', en: 'Unblock login' },
  unblock: { zh: '解锁', en: 'Unblock' },
  userGroups: { zh: '用户组', en: 'User groups' },
  members: { zh: '成员', en: 'Members' },
  emptyUsers: { zh: '为每个需要访问服务器的人创建账号。', en: 'Create an account for everybody who needs to reach a server.' },
  showNames: { zh: '显示', en: 'Show' },
  systemUsers: { zh: '系统用户', en: 'System users' },
});

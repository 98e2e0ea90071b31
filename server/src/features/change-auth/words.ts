/** Log texts of the jobs, and reasons of failed changes. */
export const words = {
  change: { en: 'Change the passwords of accounts', zh: '执行改密计划' },
  setStored: { en: 'Set a stored password on its server', zh: '将保存的密码设置到服务器' },
  settle: { en: 'Find out how interrupted password changes ended', zh: '核实被中断的改密任务' },
  done: { en: '{name}: changed, and a sign-in proved it', zh: '{name}：已更改，并已通过登录验证' },
  failed: { en: '{name}: {reason}', zh: '{name}：{reason}' },
  summary: {
    en: 'Changed: {done, number}. Failed: {failed, number}.',
    zh: '成功：{done, number}，失败：{failed, number}。',
  },
  pending: {
    en: 'An earlier change of this account has not been settled yet. Run that one again first.',
    zh: '该账号之前的改密尚未核实，请先重新执行该任务。',
  },
  refused: {
    en: 'The new password was not accepted by a sign-in, and the old one is in force again: {reason}',
    zh: '使用新密码登录失败，已恢复旧密码：{reason}',
  },
  old: {
    en: 'The change was interrupted. The old password is in force.',
    zh: '改密被中断，旧密码仍然有效。',
  },
  refusedKey: {
    en: 'The new key was not accepted by a sign-in, and was taken away again; the old one is in force: {reason}',
    zh: '使用新密钥登录失败，已移除新密钥，旧密钥仍然有效：{reason}',
  },
  oldKey: {
    en: 'The change was interrupted. The old key is in force.',
    zh: '更换密钥被中断，旧密钥仍然有效。',
  },
  unknown: {
    en: 'It is not known which password is in force. Sign in to the server in another way and set it; the new password is kept here for a further try. {reason}',
    zh: '无法确定当前有效的密码。请通过其他方式登录服务器并设置密码；新密码已保存，可重新执行。{reason}',
  },
  later: {
    en: 'The change was interrupted, and the server cannot be asked now. It is asked again by itself. {reason}',
    zh: '改密被中断，目前无法连接服务器，稍后会自动核实。{reason}',
  },
  notBegun: {
    en: 'The run was ended before it was finished here. Nothing was changed.',
    zh: '执行在完成前被终止，未作任何更改。',
  },
  gone: { en: 'The asset does not exist any more.', zh: '资产已不存在。' },
} as const;

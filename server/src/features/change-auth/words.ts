/** Log texts of the jobs, and reasons of failed changes. */
export const words = {
  change: { en: 'Run a rotation plan', zh: '执行改密计划' },
  setStored: { en: 'Set a stored password on its server', zh: '将保存的密码设置到服务器' },
  settle: { en: 'Verify interrupted password changes', zh: '核实被中断的改密任务' },
  unreachable: {
    en: 'the last connection test failed.',
    zh: '上次连接测试失败。',
  },
  done: { en: '{name}: changed and verified', zh: '{name}：已更改并验证' },
  failed: { en: '{name}: {reason}', zh: '{name}：{reason}' },
  summary: {
    en: '{done, number} changed, {failed, number} failed.',
    zh: '成功 {done, number}，失败 {failed, number}。',
  },
  pending: {
    en: 'An earlier change of this account is not verified yet. Run that task again first.',
    zh: '该账号之前的改密尚未核实，请先重新执行该任务。',
  },
  refused: {
    en: 'The sign-in with the new password failed. The old password is restored: {reason}',
    zh: '使用新密码登录失败，已恢复旧密码：{reason}',
  },
  old: {
    en: 'The change was interrupted. The old password is still valid.',
    zh: '改密被中断，旧密码仍然有效。',
  },
  refusedKey: {
    en: 'The sign-in with the new key failed. The new key was removed and the old key is still valid: {reason}',
    zh: '使用新密钥登录失败，已移除新密钥，旧密钥仍然有效：{reason}',
  },
  oldKey: {
    en: 'The change was interrupted. The old key is still valid.',
    zh: '更换密钥被中断，旧密钥仍然有效。',
  },
  unknown: {
    en: 'The current password is unknown. Sign in to the server another way and set the password. The new password is stored here for another attempt. {reason}',
    zh: '无法确定当前有效的密码。请通过其他方式登录服务器并设置密码；新密码已保存，可重新执行。{reason}',
  },
  later: {
    en: 'The change was interrupted, and the server is unreachable now. Sallyport checks again automatically. {reason}',
    zh: '改密被中断，目前无法连接服务器，稍后会自动核实。{reason}',
  },
  notBegun: {
    en: 'The run ended before this change started. Nothing was changed.',
    zh: '执行在完成前被终止，未作任何更改。',
  },
  gone: { en: 'The asset no longer exists.', zh: '资产已不存在。' },
} as const;

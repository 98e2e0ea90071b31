/** Labels shared by several resources, as OPTIONS returns them. */
export const LABEL = {
  name: { en: 'Name', zh: '名称' },
  username: { en: 'Username', zh: '用户名' },
  password: { en: 'Password', zh: '密码' },
  privateKey: { en: 'SSH private key', zh: 'SSH 密钥' },
  publicKey: { en: 'SSH public key', zh: 'SSH 公钥' },
  comment: { en: 'Comment', zh: '备注' },
  assets: { en: 'Assets', zh: '资产' },
  asset: { en: 'Asset', zh: '资产' },
  assetsAmount: { en: 'Assets', zh: '资产数量' },
  isActive: { en: 'Active', zh: '激活' },
  user: { en: 'User', zh: '用户' },
  users: { en: 'Users', zh: '用户' },
  systemUser: { en: 'System user', zh: '系统用户' },
  remoteAddress: { en: 'Remote address', zh: '远端地址' },
} as const;

/** Risk of a command; for a session, of its most dangerous command. */
export const RISK = {
  label: { en: 'Risk level', zh: '风险等级' },
  choices: [
    { value: 0, label: { en: 'Ordinary', zh: '普通' } },
    { value: 5, label: { en: 'Dangerous', zh: '危险' } },
  ],
} as const;

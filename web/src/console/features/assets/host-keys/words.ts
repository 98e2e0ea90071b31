import { catalogue } from '../../../../kit/i18n/index.ts';

/** Separate from the words of the asset list, which does not load them. */
export const words = catalogue({
  hostKeys: { zh: '主机密钥', en: 'Host keys' },
  noHostKeys: {
    zh: '尚未记录主机密钥，首次连接时记录。',
    en: 'Sallyport pins the host key at the first connection.',
  },
  hopAsset: { zh: '资产', en: 'Asset' },
  hopGateway: { zh: '网关', en: 'Gateway' },
  pinned: { zh: '记录于', en: 'Pinned' },
  offered: {
    zh: '服务器在 {date} 出示了不同的密钥，连接已被拒绝：',
    en: 'On {date} the server offered another key, and the connection was refused:',
  },
  accept: { zh: '接受新密钥', en: 'Accept the new key' },
  acceptQuestion: {
    zh: '请先与服务器管理员核对指纹。接受后，{name} 的主机密钥将变为 {fingerprint}。',
    en: 'Compare the fingerprint with the administrator of the server first. {fingerprint} becomes the host key of {name}.',
  },
  forget: { zh: '删除', en: 'Forget' },
  forgetOf: { zh: '删除 {name} 的密钥', en: 'Forget the key of {name}' },
  forgetQuestion: {
    zh: '删除后，下次连接 {name} 时将重新记录服务器出示的密钥或证书，不再核对。',
    en: 'The next connection to {name} pins the key or certificate that the server presents, without a review.',
  },
  forgotten: { zh: '已删除', en: 'Key forgotten' },
  accepted: { zh: '已接受新密钥', en: 'New key pinned' },
});

import { catalogue } from '../../kit/i18n/index.ts';

export const words = catalogue({
  title: { zh: '在 SSH 客户端中打开', en: 'Open in an SSH client' },
  link: { zh: '用本机程序打开 {name}', en: 'Open {name} with an app on this computer' },
  linkHint: {
    zh: '需要本机已安装并注册 ssh:// 的程序。',
    en: 'The link requires an app that is registered for ssh:// addresses.',
  },
  copy: { zh: '复制 SSH 命令', en: 'Copy SSH command' },
  copied: { zh: '已复制：{command}', en: 'Copied: {command}' },
  notCopied: {
    zh: '浏览器不允许复制，请手动复制：{command}',
    en: 'The browser blocks copying. Copy it manually: {command}',
  },
  off: { zh: '此堡垒机未开启 SSH 端口。', en: 'The SSH port of this bastion is off.' },
  none: { zh: '您没有可用于 SSH 的账号。', en: 'You have no account for SSH here.' },
});

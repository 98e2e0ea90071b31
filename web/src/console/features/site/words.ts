import { catalogue } from '../../../kit/i18n/index.ts';

export const words = catalogue({
  siteDiffers: {
    zh: '邮件中的链接以 {site} 开头，而您正在使用 {here}。',
    en: 'Links in mails begin with {site}, but you use {here}.',
  },
  useThisSite: { zh: '使用 {here}', en: 'Use {here}' },
  useThisQuestion: {
    zh: '之后发送的邮件中的链接以 {here} 开头。其他人能打开此地址吗？',
    en: 'Links in later mails begin with {here}. Can other people open this address?',
  },
  onlyHere: {
    zh: '链接以 {here} 开头，只有本机能打开。请先用其他人能打开的地址访问控制台，再邀请。',
    en: 'The links begin with {here}, which only this computer opens. First open the console at an address that other people can open.',
  },
});

import { catalogue } from '../../../kit/i18n/index.ts';

export const words = catalogue({
  features: { zh: '可关闭的功能', en: 'Optional features' },
  hint: {
    zh: '服务器配置中的 SALLYPORT_WITHOUT 可关闭功能，重启后生效，数据会保留。',
    en: 'SALLYPORT_WITHOUT in the configuration of the server switches features off at the next start. Their data stays.',
  },
  on: { zh: '已启用', en: 'On' },
  off: { zh: '已关闭', en: 'Off' },
  without: { zh: '关闭后：{loss}', en: 'Without it: {loss}' },
  protectionOff: {
    zh: '{count, number} 项保护功能已关闭，但其规则仍在',
    en: '{count, plural, one {# feature that protects is} other {# features that protect are}} off, with rules stored',
  },
  rules: {
    zh: '仍有 {count, number} 条规则或待复核事项。请重新启用该功能。',
    en: '{count, plural, one {# rule or review is} other {# rules or reviews are}} stored. Switch the feature on again.',
  },
});

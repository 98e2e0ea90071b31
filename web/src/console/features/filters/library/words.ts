import { catalogue } from '../../../../kit/i18n/index.ts';

export const words = catalogue({
  title: { zh: '从规则库添加', en: 'Add from the library' },
  hint: {
    zh: '规则库中的规则添加后才会生效。添加时会保存当前语言的提示信息，之后可以修改规则的全部内容。请先用“测试命令”检查规则。',
    en: 'Rules of the library apply only after you add them. They are added with the messages of the current language, and you can change everything about them. Use “Test a command” to check them.',
  },
  targets: { zh: '目标', en: 'Targets' },
  all: { zh: '全选', en: 'Select all' },
  matches: { zh: '匹配示例：', en: 'Matches, for example: ' },
  pattern: { zh: '正则表达式', en: 'Pattern' },
  actionOf: { zh: '动作：{rule}', en: 'Action: {rule}' },
  present: { zh: '过滤器中已有', en: 'Already in the filter' },
  add: {
    zh: '添加 {count, number} 条规则',
    en: '{count, plural, one {Add # rule} other {Add # rules}}',
  },
  added: {
    zh: '已添加 {count, number} 条规则',
    en: '{count, plural, one {# rule added} other {# rules added}}',
  },
});

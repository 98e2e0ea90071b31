import { catalogue } from '../../../kit/i18n/index.ts';

export const words = catalogue({
  hint: {
    zh: '命令过滤器检查用户在终端中输入的每一行，在命令到达服务器之前予以禁止。它不是沙箱：脚本和程序执行的命令不受检查。',
    en: 'Command filters check each line that users type in a terminal and stop denied commands before they reach the server. They are not a sandbox: commands run by scripts and programs are not checked.',
  },
  empty: {
    zh: '创建一个过滤器，添加规则，再绑定系统用户。',
    en: 'Create a filter, add rules, and bind system users to it.',
  },
  basic: { zh: '基本', en: 'Basic' },
  rules: { zh: '命令过滤规则', en: 'Command filter rules' },
  systemUsers: { zh: '系统用户', en: 'System users' },
  activeHint: { zh: '未激活时，规则不生效', en: 'The rules of an inactive filter do not apply' },
  emptyRules: {
    zh: '没有规则时，所有命令都允许执行。',
    en: 'Without rules, every command is allowed.',
  },
  library: { zh: '从规则库添加…', en: 'Add from the library…' },
  unbound: {
    zh: '该过滤器未绑定系统用户，不会生效。',
    en: 'This filter has no system users, so it has no effect.',
  },
  inactive: {
    zh: '该过滤器未激活，规则不生效。',
    en: 'This filter is inactive, so its rules do not apply.',
  },
  tryTitle: { zh: '测试命令', en: 'Test a command' },
  tryLabel: { zh: '命令', en: 'Command' },
  tryHint: {
    zh: '输入一条命令，查看哪条规则会匹配。命令不会执行。',
    en: 'Type a command to see which rule matches it. Nothing is executed.',
  },
  tryButton: { zh: '检查', en: 'Check' },
  allowed: { zh: '允许', en: 'Allowed' },
  holds: { zh: '复核通过后允许', en: 'Allowed after a review' },
  warns: { zh: '警告后允许', en: 'Allowed after a warning' },
  asksWord: { zh: '输入确认词后允许', en: 'Allowed after a confirmation' },
  denied: { zh: '禁止', en: 'Denied' },
  noRule: { zh: '没有规则匹配该命令。', en: 'No rule matches this command.' },
  caught: {
    zh: '规则（优先级 {priority}）匹配到“{found}”：',
    en: 'The rule with priority {priority} matches “{found}”:',
  },
  noFilter: {
    zh: '请从命令过滤器的页面添加或修改规则。',
    en: 'Add and edit rules on the page of the command filter.',
  },
  toFilters: { zh: '命令过滤器列表', en: 'Command filters' },
  commandContent: { zh: '每行一条命令', en: 'One command per line' },
  patternContent: {
    zh: '一个正则表达式（RE2 语法），例如 \\brm\\s+-\\w*r',
    en: 'One regular expression (RE2 syntax), such as \\brm\\s+-\\w*r',
  },
});

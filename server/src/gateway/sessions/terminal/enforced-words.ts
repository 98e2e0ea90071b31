import type { LocalText } from '@sallyport/contract';

export const words = {
  greeting: {
    en: 'This account runs allowed commands only, one at a time. "help" lists them, "exit" leaves.',
    zh: '该账号只能逐条执行允许的命令。输入 help 查看，输入 exit 退出。',
  },
  help: {
    en: 'Allowed commands (* matches part of a word, ... allows more words like the last one):',
    zh: '允许的命令（* 匹配词的一部分，... 允许更多与最后一个相同的词）：',
  },
} as const satisfies Record<string, LocalText>;

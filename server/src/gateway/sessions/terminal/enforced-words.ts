import type { LocalText } from '@sallyport/contract';

export const words = {
  greeting: {
    en: 'This account runs allowed commands only, each by itself. "help" lists them, "exit" leaves.',
    zh: '该账号只能逐条执行允许的命令。输入 help 查看，输入 exit 退出。',
  },
  help: {
    en: 'Allowed commands (* stands for a part of a word, ... for more words like the last):',
    zh: '允许的命令（* 代表词的一部分，... 代表更多与最后一个相同的词）：',
  },
} as const satisfies Record<string, LocalText>;

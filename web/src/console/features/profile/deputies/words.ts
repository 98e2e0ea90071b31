import { catalogue } from '../../../../kit/i18n/index.ts';

export const words = catalogue({
  title: { zh: '代理审批', en: 'Deputies' },
  name: { zh: '指定代理审批人', en: 'Name a deputy while you are away' },
  hint: {
    zh: '期间发给您的审批会同时通知代理人，代理人可代您处理，并记录为代您审批。代理人不能处理自己的申请，也不能再转给他人。新的代理会替换现有代理。',
    en: 'In this time your deputy gets the questions to you as well and may decide them; decisions are recorded as made for you. Deputies never decide their own requests, and their own deputies are not asked. A new deputy replaces the present one.',
  },
  own: { zh: '代理人：{name}', en: 'Deputy: {name}' },
  other: { zh: '代 {name} 审批', en: 'Deputy for {name}' },
  period: { zh: '{start} 至 {end}', en: '{start} – {end}' },
  end: { zh: '结束代理', en: 'End' },
  endQuestion: {
    zh: '结束后，代理人不能再代您审批，包括尚未处理的审批。',
    en: 'Your deputy can then no longer decide for you, open questions included.',
  },
});

import { catalogue } from '../../../kit/i18n/index.ts';

export const words = catalogue({
  hint: {
    zh: '审计条目和会话事件实时按顺序发送到接收端；接收端不可用时，事件最长等待七天。',
    en: 'Sallyport sends audit entries and session events to these receivers in order, as they happen. If a receiver is unavailable, events wait for up to seven days.',
  },
  receiver: { zh: '名称和类型', en: 'Name and type' },
  place: { zh: '目标', en: 'Destination' },
  contents: { zh: '发送的事件', en: 'Events' },
  test: { zh: '测试', en: 'Test' },
  all: { zh: '全部', en: 'All' },
  state: { zh: '状态', en: 'State' },
});

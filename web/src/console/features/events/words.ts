import { catalogue } from '../../../kit/i18n/index.ts';

export const words = catalogue({
  hint: {
    zh: '审计条目和会话事件在发生时按顺序发送到这里；接收端不可用时会等待，最长七天。',
    en: 'Audit entries and session events are sent here as they happen, in order. If a receiver is unavailable, they wait for up to seven days.',
  },
  detail: { zh: '事件接收端详情', en: 'Event receiver' },
  basic: { zh: '基本', en: 'Basic' },
  place: { zh: '位置', en: 'Place' },
  contents: { zh: '发送内容', en: 'What is sent' },
  other: { zh: '其他', en: 'Other' },
  test: { zh: '测试', en: 'Test' },
  all: { zh: '全部', en: 'All' },
  state: { zh: '状态', en: 'State' },
});

import { catalogue } from '../i18n/language.ts';

export const words = catalogue({
  title: { zh: '提交变更申请', en: 'Propose this change' },
  why: {
    zh: '本组织的此类变更由另一名管理员审批。现在不会有任何修改，批准后才生效。',
    en: 'Another administrator decides on such changes of this organization. Nothing changes until then.',
  },
  reason: { zh: '原因', en: 'Reason' },
  reasonHint: { zh: '审批人会看到', en: 'The administrator who decides reads it' },
  applyAt: { zh: '生效时间', en: 'Apply from' },
  applyAtHint: {
    zh: '可不填，批准后立即生效；最长 {days, number} 天内。您的时区：{zone}',
    en: 'Optional: blank applies with the approval. At most {days, plural, one {# day} other {# days}} ahead, in your time zone, {zone}.',
  },
  propose: { zh: '提交申请', en: 'Propose' },
  proposed: {
    zh: '变更申请已提交，等待另一名管理员审批。目前没有任何修改。',
    en: 'The change is proposed and waits for another administrator. Nothing has changed yet.',
  },
  open: { zh: '查看变更申请', en: 'Open the change set' },
});

import { datetime, text } from '../kit/field.ts';

/** The deputy of a reviewer for a period. */
export interface ReviewDeputy {
  readonly user: string;
  readonly user_display: string;
  readonly deputy: string;
  readonly deputy_display: string;
  readonly date_start: string;
  readonly date_end: string;
  /** True if the period has begun. */
  readonly is_active: boolean;
}

/** GET, PUT and DELETE tickets/deputy/, and GET users/users/{id}/deputies/. */
export interface ReviewDeputies {
  /** The deputy of the user; null without a present or coming one. */
  readonly own: ReviewDeputy | null;
  /** Deputyships of the user for others. */
  readonly others: readonly ReviewDeputy[];
}

/** The body of PUT tickets/deputy/. */
export const DEPUTY_FIELDS = {
  deputy: text({
    label: { en: 'Username of the deputy', zh: '代理审批人的用户名' },
    help: {
      en: 'Gets your questions as well and may decide them for you; you stay a reviewer',
      zh: '同时收到发给您的审批，并可代您处理；您仍是审批人',
    },
    max: 128,
    example: 'li.wei',
  }),
  date_start: datetime({ label: { en: 'From', zh: '开始时间' } }),
  date_end: datetime({
    label: { en: 'Until', zh: '结束时间' },
    help: { en: 'At most a year', zh: '最长一年' },
  }),
};

/** A sample ticket with its comments. */
export interface SampleTicket {
  readonly who: string;
  readonly type: 'general' | 'login_confirm' | 'request_asset' | 'request_app' | 'emergency';
  readonly title: string;
  readonly body: string;
  /** Age in days. */
  readonly days: number;
  readonly assignees: readonly string[];
  /** Decision and its author; absent: open. */
  readonly ended?: { readonly action: '' | 'approve' | 'reject'; readonly by: string };
  readonly comments?: readonly (readonly [who: string, body: string])[];
}

export const TICKETS = {
  question: {
    who: 'wanghaoran',
    type: 'general',
    title: '国庆值班期间的临时授权安排',
    body: '值班表已确认，请按表在 9 月 30 日前创建授权，节后收回。',
    days: 6,
    assignees: ['linxiaofeng', 'admin'],
    ended: { action: 'approve', by: 'linxiaofeng' },
    comments: [
      ['linxiaofeng', '已按值班表创建，名称统一以“值班”开头。'],
      ['wanghaoran', '收到，谢谢。'],
    ],
  },
  signIn: {
    who: 'vendor-guo',
    type: 'login_confirm',
    title: '登录复核 郭志强（外包）(vendor-guo)',
    body: '用户：郭志强（外包）(vendor-guo)\nIP：10.88.24.31',
    days: 2,
    assignees: ['admin'],
    ended: { action: 'approve', by: 'admin' },
  },
  waiting: {
    who: 'demo',
    type: 'request_asset',
    title: 'Access to sh-web-01 for the incident review',
    body: 'I have to read the logs of nginx of last night. Two hours are enough.',
    days: 0,
    assignees: ['admin', 'linxiaofeng'],
    comments: [['demo', 'The review is at four o’clock.']],
  },
  reports: {
    who: 'liuyang',
    type: 'request_app',
    title: '订单库只读查询',
    body: '核对昨天的退款订单，只需查询。',
    days: 0,
    assignees: ['admin', 'linxiaofeng'],
  },
  granted: {
    who: 'liuyang',
    type: 'request_asset',
    title: 'sh-web-01',
    body: '发布失败，需要查看前端日志。',
    days: 3,
    assignees: ['admin', 'linxiaofeng'],
    ended: { action: 'approve', by: 'linxiaofeng' },
  },
  emergency: {
    who: '',
    type: 'emergency',
    title: '',
    body: '数据库主节点无响应，影响下单，来不及等待审批。',
    days: 0,
    assignees: ['admin', 'auditor'],
  },
} as const satisfies Readonly<Record<string, SampleTicket>>;

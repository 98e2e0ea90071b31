import { catalogue } from '../../../../kit/i18n/index.ts';

export const words = catalogue({
  locale: { zh: 'zh-CN', en: 'en' },
  asks: {
    zh: '{who} 申请以 {account} 访问 {what}，{when}',
    en: '{who} asks to connect to {what} as {account} {when}',
  },
  asksWithoutAccount: {
    zh: '{who} 申请访问 {what}，{when}',
    en: '{who} asks to connect to {what} {when}',
  },
  forLength: { zh: '时长 {length}', en: 'for {length}' },
  fromUntil: { zh: '从 {from} 到 {until}', en: 'from {from} until {until}' },
  decision: { zh: '处理此工单', en: 'Decision' },
  approve: { zh: '同意', en: 'Approve' },
  change: { zh: '修改后同意…', en: 'Approve with changes…' },
  changeTitle: { zh: '修改后同意', en: 'Approve with changes' },
  proposed: {
    zh: '已批准，等待另一名管理员审批',
    en: 'Approved. Another administrator decides on it.',
  },
  waits: {
    zh: '{who} 已于 {date} 批准，等待另一名管理员审批，至 {until}。',
    en: '{who} approved this request, {date}. It waits for another administrator until {until}.',
  },
  openChangeSet: { zh: '查看变更申请', en: 'Open the change set' },
  reject: { zh: '拒绝…', en: 'Reject…' },
  rejectTitle: { zh: '拒绝此申请？', en: 'Reject this request?' },
  rejectNow: { zh: '拒绝', en: 'Reject' },
  reason: { zh: '原因', en: 'Reason' },
  reasonHint: { zh: '申请人可以看到', en: 'The requester sees it' },
  approveTitle: { zh: '同意此申请？', en: 'Approve this request?' },
  approved: { zh: '已同意', en: 'Approved' },
  rejected: { zh: '已拒绝', en: 'Rejected' },
  userGone: { zh: '申请人的账号已被删除。', en: 'The account of the requester was deleted.' },
  chooseAssets: {
    zh: '没有资产与申请相符，请通过“修改后同意”选择。',
    en: 'No asset matches the request. Choose one with “Approve with changes”.',
  },
  chooseApps: {
    zh: '没有应用与申请相符，请通过“修改后同意”选择。',
    en: 'No application matches the request. Choose one with “Approve with changes”.',
  },
  chooseAccount: {
    zh: '没有系统用户与申请相符，请通过“修改后同意”选择。',
    en: 'No system user matches the request. Choose one with “Approve with changes”.',
  },
  length: { zh: '时长（从同意起）', en: 'Duration from the approval' },
  inForce: {
    zh: '{who} 可以 {accounts} 访问 {things}，至 {until}。',
    en: '{who} may connect to {things} as {accounts} until {until}.',
  },
  begins: {
    zh: '{who} 从 {from} 到 {until} 可以 {accounts} 访问 {things}。',
    en: '{who} may connect to {things} as {accounts} from {from} until {until}.',
  },
  isOver: { zh: '此访问已结束。', en: 'The access has ended.' },
  endNow: { zh: '立即结束', en: 'End now' },
  endTitle: { zh: '结束此访问？', en: 'End this access?' },
  endQuestion: {
    zh: '{who} 将失去访问权限，相关会话会断开。',
    en: '{who} loses the access, and its sessions are disconnected.',
  },
  ended: { zh: '访问已结束', en: 'Access ended' },
  wantsCommand: {
    zh: '{who} 要在 {asset} 上以 {account} 执行：',
    en: '{who} wants to run this on {asset} as {account}:',
  },
  screen: { zh: '输入时的屏幕', en: 'The screen when the line was typed' },
  watch: { zh: '查看实时画面', en: 'Watch the session' },
  session: { zh: '会话详情', en: 'Details of the session' },
  wantsConnection: {
    zh: '{who} 要以 {account} 连接 {target}',
    en: '{who} wants to connect to {target} as {account}',
  },
  noReason: { zh: '未填写原因', en: 'No reason' },
  from: { zh: '来自 {address}', en: 'From {address}' },
  once: { zh: '仅限本次连接', en: 'For this connection only' },
  validFor: {
    zh: '同意后 {minutes} 分钟内有效',
    en: 'Valid for {minutes, plural, one {# minute} other {# minutes}}',
  },
  waitsUntil: { zh: '等待至', en: 'Waits until' },
  stageOf: { zh: '第 {stage} 级审批，共 {stages} 级', en: 'Stage {stage} of {stages}' },
  stageDecisions: { zh: '审批记录：{decisions}', en: 'Decisions by stage: {decisions}' },
  assignedTo: { zh: '处理人：{names}', en: 'Assigned to {names}' },
});

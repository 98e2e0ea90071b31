import { catalogue } from '../../../kit/i18n/index.ts';

export const words = catalogue({
  hint: {
    zh: '智能体是代您执行命令的程序，例如 AI 助手。其权限不超过您的权限，也不超过您设定的约束。',
    en: 'An agent is a program that runs commands for you, such as an AI assistant. It can do what you can do, within the leash that you give it.',
  },
  agent: { zh: '智能体', en: 'Agent' },
  where: { zh: '可用范围', en: 'Where' },
  what: { zh: '可做操作', en: 'What' },
  budget: { zh: '时长与额度', en: 'Time and budget' },
  confirm: { zh: '确认身份', en: 'Confirm' },
  newToken: { zh: '智能体令牌', en: 'Token of the agent' },
  tokenOnce: {
    zh: '令牌仅显示这一次。将它和地址填入该程序的 MCP 设置。令牌只能用于此地址。',
    en: 'The token is shown only this once. Enter it with the address in the MCP settings of the program. It works at this address only.',
  },
  address: { zh: '地址', en: 'Address' },
  done: { zh: '完成', en: 'Done' },
  end: { zh: '立即停止', en: 'End now' },
  endQuestion: {
    zh: '停止智能体“{name}”？正在执行的命令会立即中止，令牌作废。',
    en: 'End the agent “{name}”? Its running commands are stopped at once, and its token becomes void.',
  },
  endMine: { zh: '停止我的全部智能体', en: 'End all my agents' },
  endMineQuestion: {
    zh: '停止您的全部智能体？正在执行的命令会立即中止。',
    en: 'End all your agents? Their running commands are stopped at once.',
  },
  endAll: { zh: '停止全部智能体', en: 'End all agents' },
  endAllQuestion: {
    zh: '停止所有用户的全部智能体？正在执行的命令会立即中止。',
    en: 'End the agents of all users? Their running commands are stopped at once.',
  },
  ended: { zh: '已停止', en: 'Ended' },
  notEnded: { zh: '未能停止', en: 'Not ended' },
  isOver: { zh: '该智能体已不在生效', en: 'This agent is no longer active' },
  calls: { zh: '调用记录', en: 'Calls' },
  noCalls: { zh: '尚无调用', en: 'No calls yet' },
  noCallsHint: {
    zh: '智能体执行的每条命令都会列在这里。',
    en: 'Each command that the agent runs is listed here.',
  },
  replay: { zh: '会话', en: 'Session' },
  used: { zh: '{used} / {max}', en: '{used} of {max}' },
  leash: { zh: '约束', en: 'Leash' },
});

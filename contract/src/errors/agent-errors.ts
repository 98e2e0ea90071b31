import type { LocalText } from '../kit/text.ts';

/** Errors of agents: their leash, their budget and their calls. */
export const AGENT_ERRORS = {
  agents_off: {
    en: 'Agents are switched off in this installation.',
    zh: '本系统已关闭智能体功能。',
  },
  agent_token: {
    en: 'The token of the agent is missing or wrong, or it has ended.',
    zh: '智能体令牌缺失、错误或已失效。',
  },
  agent_limit: {
    en: 'You have {max} active agents. End one first.',
    zh: '您已有 {max} 个生效中的智能体，请先结束一个。',
  },
  agent_places_missing: {
    en: 'List the hosts or databases that the agent may use.',
    zh: '请列出智能体可以使用的主机或数据库。',
  },
  agent_commands_missing: {
    en: 'List the commands that the agent may run.',
    zh: '请列出智能体可以执行的命令。',
  },
  agent_host: {
    en: 'The leash of this agent, or the permissions of its owner, include no such host and account.',
    zh: '该智能体的约束范围或其所有者的授权不包含该主机和账号。',
  },
  agent_database: {
    en: 'The leash of this agent, or the permissions of its owner, include no such database and account.',
    zh: '该智能体的约束范围或其所有者的授权不包含该数据库和账号。',
  },
  agent_statement: {
    en: 'Send one statement per call.',
    zh: '每次调用请只发送一条语句。',
  },
  agent_statement_kind: {
    en: 'An agent changes data by INSERT, UPDATE and DELETE only.',
    zh: '智能体只能通过 INSERT、UPDATE 和 DELETE 修改数据。',
  },
  agent_command_mode: {
    en: 'The leash of this agent allows listed commands only, and this is none of them: {problem}',
    zh: '该智能体仅可执行列出的命令，此命令不在其中：{problem}',
  },
  agent_files: {
    en: 'The leash of this agent does not allow this with files.',
    zh: '该智能体的约束不允许此文件操作。',
  },
  agent_command: {
    en: 'Send either a command line or words.',
    zh: '请发送一行命令或一组词，二者选一。',
  },
  agent_words: {
    en: 'The shell of this host may read quotes in another way. Send the command as one line.',
    zh: '该主机的 Shell 对引号的解释可能不同，请将命令作为一行发送。',
  },
  agent_word: {
    en: 'The leash of this agent denies commands and statements with “{word}”.',
    zh: '该智能体不得执行包含“{word}”的命令或语句。',
  },
  agent_budget: {
    en: 'The budget of this agent is used: {used} of {max} commands, {bytes} bytes of output, {rows} rows.',
    zh: '该智能体的额度已用尽：命令 {used}/{max}，输出 {bytes} 字节，数据 {rows} 行。',
  },
  agent_consent_over: {
    en: 'The program no longer waits for this decision. Start its sign-in again.',
    zh: '该程序已不再等待此决定，请重新发起登录。',
  },
  agent_client_metadata: {
    en: 'The registration must include the grant authorization_code and the response type code.',
    zh: '注册信息须包含授权类型 authorization_code 和响应类型 code。',
  },
  agent_redirects: {
    en: 'Register a redirect to this machine, such as http://127.0.0.1/callback.',
    zh: '请注册指向本机的重定向地址，例如 http://127.0.0.1/callback。',
  },
  agent_clients_full: {
    en: 'Too many programs are registered. Try again later.',
    zh: '已注册的程序过多，请稍后重试。',
  },
  agent_request: {
    en: 'A parameter of the request is too long or sent twice.',
    zh: '请求的参数过长或重复。',
  },
  agent_resource: {
    en: 'The token is wanted for another server.',
    zh: '请求的令牌用于其他服务器。',
  },
  agent_grant: {
    en: 'The code or refresh token is wrong, used or expired. Sign in again.',
    zh: '授权码或刷新令牌错误、已使用或已过期，请重新登录。',
  },
  agent_grant_type: {
    en: 'Exchange a code or a refresh token.',
    zh: '请使用授权码或刷新令牌。',
  },
  agent_requests: {
    en: 'An agent files at most {max} requests for access.',
    zh: '一个智能体最多提交 {max} 个权限申请。',
  },
  agent_over: {
    en: 'The leash of this agent has ended.',
    zh: '该智能体的约束期已结束。',
  },
  agent_time: {
    en: 'The command was stopped after {seconds} seconds.',
    zh: '命令执行 {seconds} 秒后被停止。',
  },
  agent_left: {
    en: 'The agent closed the connection, so the command was stopped.',
    zh: '智能体断开了连接，命令已停止。',
  },
  agent_login: {
    en: 'This account has no stored secret, and an agent cannot type one.',
    zh: '该账号没有保存凭据，智能体无法输入密码。',
  },
  agent_busy: {
    en: 'At most {max} commands of an agent run at a time.',
    zh: '一个智能体同时最多执行 {max} 个命令。',
  },
  agent_repeated: {
    en: 'A call with this key asked for another command.',
    zh: '使用该键的调用请求的是另一条命令。',
  },
} as const satisfies Record<string, LocalText>;

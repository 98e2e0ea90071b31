import type { LocalText } from '../kit/text.ts';

/** Errors of clusters: API servers that users reach through the bastion. */
export const CLUSTER_ERRORS = {
  connect_cluster_account: {
    en: '{host} did not accept the token of the account {account}.',
    zh: '{host} 不接受账号“{account}”的令牌。',
  },
  connect_cluster_answer: {
    en: '{host} did not answer like the API server of a cluster.',
    zh: '{host} 的响应不符合集群 API Server。',
  },
  session_cluster_token: {
    en: 'The time of the kubeconfig has ended. Download a new one.',
    zh: 'kubeconfig 已过期，请重新下载。',
  },
  cluster_token: {
    en: 'The token of this kubeconfig is wrong, expired or ended. Download a new one.',
    zh: '此 kubeconfig 的令牌错误、已过期或已失效，请重新下载。',
  },
  cluster_visit: {
    en: 'This page is no longer connected to the cluster. Connect again.',
    zh: '此页面与集群的连接已结束，请重新连接。',
  },
  cluster_large_answer: {
    en: 'The answer of the cluster is larger than {max} MiB. Use kubectl.',
    zh: '集群返回的内容超过 {max} MiB，请使用 kubectl。',
  },
  cluster_other: {
    en: 'The token of this kubeconfig is for another cluster.',
    zh: '此 kubeconfig 的令牌属于另一个集群。',
  },
  cluster_browser: {
    en: 'Web pages cannot use this address. Use kubectl or another client.',
    zh: '网页不能使用此地址，请使用 kubectl 或其他客户端。',
  },
  cluster_busy: {
    en: 'At most {max} requests of one kubeconfig run at a time. Try again later.',
    zh: '同一 kubeconfig 最多同时执行 {max} 个请求，请稍后重试。',
  },
  cluster_body: {
    en: 'The body of the request is larger than {max} MiB.',
    zh: '请求内容超过 {max} MiB。',
  },
  cluster_upgrade: {
    en: 'The bastion does not relay this stream.',
    zh: '堡垒机不转发该数据流。',
  },
  connect_cluster_refused: {
    en: 'The cluster answered: {message}',
    zh: '集群返回：{message}',
  },
  connect_cluster_command: {
    en: 'A rule replaces this command. Commands at pods cannot be replaced.',
    zh: '规则要替换此命令，但不能替换 Pod 中的命令。',
  },
  cluster_line: {
    en: 'The line "{line}" is no valid name or pattern.',
    zh: '“{line}”不是有效的名称或模式。',
  },
  cluster_lines: { en: 'At most {max} lines.', zh: '最多 {max} 行。' },
  cluster_reserved: {
    en: 'Names that begin with system: are reserved for the cluster itself.',
    zh: '以 system: 开头的名称为集群内部保留。',
  },
  cluster_verb: {
    en: 'No permission allows you to {verb} {kind} {place}.',
    zh: '没有授权允许您对 {kind} 执行 {verb}（{place}）。',
  },
  cluster_action: {
    en: 'No permission allows the action "{action}", which is needed to {verb} {kind} {place}.',
    zh: '没有授权允许动作“{action}”：对 {kind} 执行 {verb}（{place}）需要该动作。',
  },
  cluster_kind: {
    en: 'The bastion does not know {kind}. A permission must name this kind.',
    zh: '堡垒机不认识 {kind}，须在授权中写明该类型。',
  },
  cluster_unread: {
    en: 'The bastion could not read the object that this request changes: the cluster answered {status}.',
    zh: '堡垒机无法读取该请求要修改的对象：集群返回 {status}。',
  },
  cluster_unclear: {
    en: 'The bastion refuses this request: {message}',
    zh: '堡垒机拒绝该请求：{message}',
  },
  cluster_user: {
    en: 'The permission leads to the user "{user}", which is reserved for the cluster itself.',
    zh: '授权对应的用户“{user}”为集群内部保留。',
  },
} as const satisfies Record<string, LocalText>;

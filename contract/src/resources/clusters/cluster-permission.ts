import { countOf, flags, many, organizationFields, text } from '../../kit/field.ts';
import { flagsOfMask, maskOfFlags } from '../../kit/field-kinds.ts';
import { defineResource } from '../../kit/resource.ts';
import { APP_PARAMETERS, APP_RULE_ACCESS, appRuleTerms } from '../perms/app-permission.ts';

/**
 * Verbs of requests to an API server, with their bits. Rights never follow from the HTTP method:
 * a GET can open a shell.
 */
export const CLUSTER_VERBS = [
  { value: 'read', mask: 7, label: { en: 'Read', zh: '只读' } },
  { value: 'get', mask: 1, label: { en: 'Get', zh: '查看' } },
  { value: 'list', mask: 2, label: { en: 'List', zh: '列表' } },
  { value: 'watch', mask: 4, label: { en: 'Watch', zh: '监听' } },
  { value: 'create', mask: 8, label: { en: 'Create', zh: '创建' } },
  { value: 'update', mask: 16, label: { en: 'Update', zh: '更新' } },
  { value: 'patch', mask: 32, label: { en: 'Patch', zh: '修补' } },
  { value: 'delete', mask: 64, label: { en: 'Delete', zh: '删除' } },
  {
    value: 'deletecollection',
    mask: 128,
    label: { en: 'Delete many at once', zh: '批量删除' },
  },
] as const;
export type ClusterVerb = Exclude<(typeof CLUSTER_VERBS)[number]['value'], 'read'>;

/** Actions that no verb includes: each must be granted by name. */
export const CLUSTER_ACTIONS = [
  { value: 'logs', mask: 1, label: { en: 'Read logs', zh: '查看日志' } },
  { value: 'exec', mask: 2, label: { en: 'Run commands (exec)', zh: '执行命令（exec）' } },
  { value: 'attach', mask: 4, label: { en: 'Attach', zh: '附加（attach）' } },
  { value: 'portforward', mask: 8, label: { en: 'Forward ports', zh: '端口转发' } },
  { value: 'proxy', mask: 16, label: { en: 'HTTP proxy', zh: 'HTTP 代理' } },
  { value: 'ephemeral', mask: 32, label: { en: 'Ephemeral containers', zh: '临时容器' } },
  {
    value: 'node_pods',
    mask: 64,
    label: { en: 'Pods that own their node', zh: '可控制节点的 Pod' },
  },
  { value: 'secrets', mask: 128, label: { en: 'Secrets', zh: '密钥（Secret）' } },
  {
    value: 'escalate',
    mask: 256,
    label: { en: 'Roles, tokens and impersonation', zh: '角色、令牌与身份模拟' },
  },
] as const;
export type ClusterAction = (typeof CLUSTER_ACTIONS)[number]['value'];

/** Returns the names of verbs by their bits, without the sum `read`. */
export const clusterVerbsOf = (mask: number): ClusterVerb[] =>
  flagsOfMask(CLUSTER_VERBS, mask).filter((name) => name !== 'read');
/** Returns the names of actions by their bits. */
export const clusterActionsOf = (mask: number): ClusterAction[] =>
  flagsOfMask(CLUSTER_ACTIONS, mask);
/** Returns the bits of actions. */
export const clusterActionMask = (names: readonly string[]): number =>
  maskOfFlags(CLUSTER_ACTIONS, names);

/** Grants clusters to users: identity at the cluster, namespaces, verbs and actions. */
export const clusterPermission = defineResource({
  name: 'cluster_permission',
  path: 'perms/cluster-permissions',
  area: 'permissions',
  parameters: [...APP_PARAMETERS.filter((name) => name !== 'attention'), 'cluster_id'],
  scope: 'org',
  title: { en: 'Cluster permission', zh: '集群授权' },
  access: APP_RULE_ACCESS,
  feedsGrants: true,
  restorable: true,
  fields: {
    ...appRuleTerms(),
    kube_user: text({
      label: { en: 'User at the cluster', zh: '集群内用户' },
      help: {
        en: 'The bastion impersonates this user; {username} stands for the name of the user',
        zh: '堡垒机以该用户身份访问集群；{username} 代表用户名',
      },
      max: 253,
      required: false,
      allowBlank: false,
      defaultValue: '{username}',
      detailOnly: true,
      example: '{username}',
    }),
    kube_groups: text({
      label: { en: 'Groups at the cluster', zh: '集群内用户组' },
      help: {
        en: 'One per line. Roles of the cluster bind to these groups',
        zh: '每行一个；集群的角色绑定到这些用户组',
      },
      max: 2048,
      multiline: true,
      required: false,
      defaultValue: '',
      detailOnly: true,
      example: 'developers',
    }),
    namespaces: text({
      label: { en: 'Namespaces', zh: '命名空间' },
      help: {
        en: 'Patterns, one per line, such as team-*. Only the line * also allows resources without a namespace and lists over all namespaces',
        zh: '每行一个模式，如 team-*；仅当含有单独一行 * 时，才允许不属于命名空间的资源和跨命名空间的列表',
      },
      max: 4096,
      multiline: true,
      required: true,
      detailOnly: true,
      example: 'team-*',
    }),
    verbs: flags({
      label: { en: 'Verbs', zh: '操作' },
      choices: CLUSTER_VERBS,
      required: false,
      defaultValue: ['read'],
    }),
    actions: flags({
      label: { en: 'Actions', zh: '动作' },
      help: {
        en: 'No verb includes these actions. Pods that own their node give root on it',
        zh: '以下动作不含在任何操作中；可控制节点的 Pod 等同于节点的 root 权限',
      },
      choices: CLUSTER_ACTIONS,
      required: false,
      defaultValue: [],
    }),
    kinds: text({
      label: { en: 'Further kinds', zh: '其他资源类型' },
      help: {
        en: 'Kinds that the bastion does not know are refused unless named here, one per line, such as certificates.cert-manager.io or *.example.com',
        zh: '堡垒机不认识的资源类型默认拒绝；可在此逐行填写，如 certificates.cert-manager.io 或 *.example.com',
      },
      max: 4096,
      multiline: true,
      required: false,
      defaultValue: '',
      detailOnly: true,
      example: 'certificates.cert-manager.io',
    }),
    clusters: many({ label: { en: 'Clusters', zh: '集群' }, to: 'cluster', required: false }),
    clusters_amount: countOf('clusters', { en: 'Clusters', zh: '集群数量' }),
    ...organizationFields(),
  },
});

import { catalogue } from '../../../kit/i18n/index.ts';

export const words = catalogue({
  clustersHint: {
    zh: '登记集群的 API Server 后，在“集群授权”中授权给用户。用户在“我的集群”中获取 kubeconfig。',
    en: 'Register the API servers of clusters here, then grant access under Cluster permissions. Users get a kubeconfig under My clusters.',
  },
  emptyClusters: {
    zh: '创建集群，填写 API Server 的地址。',
    en: 'Create a cluster with the address of its API server.',
  },
  name: { zh: '名称', en: 'Name' },
  place: { zh: '连接信息', en: 'Connection' },
  test: { zh: '测试连接', en: 'Test' },
  testHelp: {
    zh: '用系统用户的令牌登录，并检查其能否模拟用户和用户组',
    en: 'Signs in with the token of a system user, and checks if it may impersonate users and groups',
  },
  systemUser: { zh: '系统用户', en: 'System user' },
  works: {
    zh: '已登录，版本 {version}，可模拟用户和用户组。',
    en: 'Signed in. Version {version}. The account may impersonate users and groups.',
  },
  cannotImpersonate: {
    zh: '已登录，版本 {version}，但无权模拟用户和用户组。请为该账号绑定含 impersonate 操作的集群角色。',
    en: 'Signed in. Version {version}. The account may not impersonate users and groups: give it a cluster role with the verb impersonate.',
  },
  rules: { zh: '授权', en: 'Permissions' },
  rulesHint: {
    zh: '定义哪些用户以何种身份访问哪些集群、命名空间和操作。',
    en: 'Permissions define who may reach which clusters, as whom, in which namespaces, with which verbs and actions.',
  },
  emptyRules: {
    zh: '创建授权，选择用户、集群和系统用户。',
    en: 'Create a permission: choose users, clusters and a system user.',
  },
  basic: { zh: '基本', en: 'Basic' },
  who: { zh: '授权对象', en: 'Who' },
  where: { zh: '集群和账号', en: 'Clusters and accounts' },
  identity: { zh: '集群内身份', en: 'Identity at the cluster' },
  allowed: { zh: '允许的操作', en: 'What is allowed' },
  accountsHelp: {
    zh: '仅可选择协议为 kubernetes 的系统用户；用户不会得到其令牌',
    en: 'Only system users with the protocol kubernetes. Users never receive its token',
  },
  myHint: {
    zh: '授权给您的集群。下载的 kubeconfig 在短时间内有效，所有请求都会记录。',
    en: 'Clusters you may use. A kubeconfig is valid for a short time, and every request is logged.',
  },
  noClusters: { zh: '还没有授权给您的集群。', en: 'You have no access to any cluster yet.' },
  granted: { zh: '授权的集群', en: 'Granted clusters' },
  systemUsers: { zh: '系统用户', en: 'System user' },
  kubeconfig: { zh: 'kubeconfig', en: 'Kubeconfig' },
  kubeconfigFor: { zh: '{name} 的 kubeconfig', en: 'Kubeconfig for {name}' },
  intro: {
    zh: '文件中的令牌以您的身份访问该集群，请勿转交他人。退出登录后立即失效。',
    en: 'The token in the file opens this cluster as you. Do not pass it on. It ends when you sign out.',
  },
  none: { zh: '没有可用的系统用户。', en: 'No system user is available.' },
  make: { zh: '生成', en: 'Create' },
  once: {
    zh: '有效期至 {until}。关闭后无法再次查看。',
    en: 'Valid until {until}. It is shown only now.',
  },
  download: { zh: '下载文件', en: 'Download the file' },
  needsTls: {
    zh: '控制台未使用 HTTPS：kubectl 不会向 http 地址发送令牌，请通过 HTTPS 打开控制台后重新生成。',
    en: 'This console has no HTTPS: kubectl sends no token to an http address. Open the console by HTTPS and make the file again.',
  },
  use: { zh: '使用', en: 'Use' },
});

/** Actions that no verb includes: a permission must name each of them. */
export type KubeAction =
  | 'logs'
  | 'exec'
  | 'attach'
  | 'portforward'
  | 'proxy'
  | 'ephemeral'
  | 'node_pods'
  | 'secrets'
  | 'escalate';

/** Verb that a permission grants: never the HTTP method, as a GET can open a shell. */
export type KubeVerb =
  | 'get'
  | 'list'
  | 'watch'
  | 'create'
  | 'update'
  | 'patch'
  | 'delete'
  | 'deletecollection';

/** Resource, subresource and verb of a request. */
export interface KubeTarget {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly verb: KubeVerb;
}

const SUBRESOURCES: Readonly<Record<string, KubeAction>> = {
  'pods/log': 'logs',
  'pods/exec': 'exec',
  'pods/attach': 'attach',
  'pods/portforward': 'portforward',
  'pods/proxy': 'proxy',
  'services/proxy': 'proxy',
  // The kubelet runs commands in every pod of the node.
  'nodes/proxy': 'node_pods',
  'pods/ephemeralcontainers': 'ephemeral',
  'serviceaccounts/token': 'escalate',
  // Puts a pod on a node without the scheduler.
  'pods/binding': 'escalate',
};

/** Writing here changes the rights of users, or the trust of the API server. */
const GUARDED_GROUPS = new Set([
  'rbac.authorization.k8s.io',
  'admissionregistration.k8s.io',
  'apiregistration.k8s.io',
  'apiextensions.k8s.io',
  'certificates.k8s.io',
  'flowcontrol.apiserver.k8s.io',
  'node.k8s.io',
]);
const GUARDED = new Set([
  'bindings.',
  // Labels of a namespace switch the checks of its pods off.
  'namespaces.',
  'nodes.',
  // Annotations of an account give it roles in the cloud.
  'serviceaccounts.',
  'tokenreviews.authentication.k8s.io',
  'subjectaccessreviews.authorization.k8s.io',
  'localsubjectaccessreviews.authorization.k8s.io',
]);
/** Subresources that controllers write, never users. */
const OF_CONTROLLERS = new Set(['status', 'finalize', 'approval']);
const READING = new Set<KubeVerb>(['get', 'list', 'watch']);

/** Returns the action that a request needs besides its verb, or undefined. */
export function actionOf(target: KubeTarget): KubeAction | undefined {
  const { group, resource, subresource, verb } = target;
  if (group === '' && resource === 'secrets') return 'secrets';
  const action = group === '' ? SUBRESOURCES[`${resource}/${subresource}`] : undefined;
  if (action) return action;
  if (READING.has(verb)) return undefined;
  if (OF_CONTROLLERS.has(subresource)) return 'escalate';
  return GUARDED_GROUPS.has(group) || GUARDED.has(`${resource}.${group}`) ? 'escalate' : undefined;
}

/** Questions of a user about their own rights, which need no permission. */
const ABOUT_ONESELF = new Set([
  'selfsubjectreviews.authentication.k8s.io',
  'selfsubjectaccessreviews.authorization.k8s.io',
  'selfsubjectrulesreviews.authorization.k8s.io',
]);

/** Returns true for a question of the user about their own rights. */
export const asksAboutItself = ({ group, resource, subresource, verb }: KubeTarget): boolean =>
  verb === 'create' && subresource === '' && ABOUT_ONESELF.has(`${resource}.${group}`);

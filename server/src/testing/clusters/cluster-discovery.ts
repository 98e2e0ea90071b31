/** Name, kind and scope of the resources of a small cluster by group. */
export const RESOURCES: Readonly<Record<string, readonly (readonly [string, string, boolean])[]>> =
  {
    '': [
      ['pods', 'Pod', true],
      ['configmaps', 'ConfigMap', true],
      ['secrets', 'Secret', true],
      ['services', 'Service', true],
      ['namespaces', 'Namespace', false],
    ],
    apps: [
      ['deployments', 'Deployment', true],
      ['statefulsets', 'StatefulSet', true],
      ['daemonsets', 'DaemonSet', true],
    ],
    batch: [
      ['jobs', 'Job', true],
      ['cronjobs', 'CronJob', true],
    ],
  };
const VERBS = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'];

/** Answers of discovery by path. */
export const discovery = (path: string): object | undefined => {
  const group = /^\/apis\/([a-z]+)\/v1$/.exec(path)?.[1] ?? (path === '/api/v1' ? '' : undefined);
  if (path === '/version') return { major: '1', minor: '36', gitVersion: 'v1.36.3' };
  if (path === '/api') return { kind: 'APIVersions', versions: ['v1'] };
  if (path === '/apis')
    return {
      kind: 'APIGroupList',
      apiVersion: 'v1',
      groups: Object.keys(RESOURCES)
        .filter(Boolean)
        .map((name) => {
          const version = { groupVersion: `${name}/v1`, version: 'v1' };
          return { name, versions: [version], preferredVersion: version };
        }),
    };
  if (group === undefined || !RESOURCES[group]) return undefined;
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: group ? `${group}/v1` : 'v1',
    resources: RESOURCES[group].map(([name, kind, namespaced]) => ({
      name,
      singularName: kind.toLowerCase(),
      namespaced,
      kind,
      verbs: VERBS,
    })),
  };
};

import type { KubeRequest } from '../../features/clusters/kube-request.ts';
import type { KubeObject } from './cluster-objects.ts';

type Column = readonly [name: string, cell: (object: KubeObject) => unknown];

const at = (object: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (part, key) =>
      typeof part === 'object' && part !== null
        ? Object.entries(part).find(([name]) => name === key)?.[1]
        : undefined,
    object,
  );

const statusesOf = (pod: KubeObject): readonly unknown[] => {
  const statuses = at(pod, 'status', 'containerStatuses');
  return Array.isArray(statuses) ? statuses : [];
};

/** The columns of some kinds between name and age, as `kubectl get` shows them. */
const COLUMNS: Readonly<Record<string, readonly Column[]>> = {
  pods: [
    [
      'Ready',
      (pod) => {
        const ready = statusesOf(pod).filter((one) => at(one, 'ready') === true);
        return `${ready.length}/${statusesOf(pod).length}`;
      },
    ],
    [
      'Status',
      (pod) =>
        statusesOf(pod)
          .map((one) => at(one, 'state', 'waiting', 'reason'))
          .find((reason) => typeof reason === 'string') ?? at(pod, 'status', 'phase'),
    ],
    [
      'Restarts',
      (pod) =>
        statusesOf(pod).reduce<number>((sum, one) => sum + Number(at(one, 'restartCount') ?? 0), 0),
    ],
  ],
  deployments: [
    [
      'Ready',
      (object) =>
        `${at(object, 'status', 'readyReplicas') ?? 0}/${at(object, 'spec', 'replicas') ?? 1}`,
    ],
    ['Up-to-date', (object) => at(object, 'status', 'updatedReplicas') ?? 0],
    ['Available', (object) => at(object, 'status', 'availableReplicas') ?? 0],
  ],
  jobs: [
    ['Status', (job) => (at(job, 'status', 'succeeded') ? 'Complete' : 'Running')],
    ['Completions', (job) => `${at(job, 'status', 'succeeded') ?? 0}/1`],
  ],
  secrets: [
    ['Type', (object) => at(object, 'type') ?? 'Opaque'],
    ['Data', (object) => Object.keys(at(object, 'data') ?? {}).length],
  ],
};

/** Returns a page of a list by `limit` and `continue`, and the token of the next one. */
export function pageOf(
  list: readonly KubeObject[],
  query: URLSearchParams,
): { readonly items: readonly KubeObject[]; readonly next: string | undefined } {
  const limit = Number(query.get('limit')) || list.length;
  const from = Number(query.get('continue')) || 0;
  const end = from + limit;
  return { items: list.slice(from, end), next: end < list.length ? String(end) : undefined };
}

/** Returns a list as a `Table` of `meta.k8s.io/v1`. */
export function tableOf(
  { resource }: KubeRequest,
  items: readonly KubeObject[],
  metadata: object,
): object {
  const columns: readonly Column[] = [
    ['Name', ({ metadata: { name } }) => name],
    ...(COLUMNS[resource] ?? []),
    ['Age', () => '5m'],
  ];
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata,
    columnDefinitions: [
      ...columns.map(([name]) => ({
        name,
        type: 'string',
        format: '',
        description: name,
        priority: 0,
      })),
      { name: 'IP', type: 'string', format: '', description: 'IP', priority: 1 },
    ],
    rows: items.map((object) => ({
      cells: [...columns.map(([, cell]) => cell(object)), '10.0.0.1'],
      object: {
        kind: 'PartialObjectMetadata',
        apiVersion: 'meta.k8s.io/v1',
        metadata: { creationTimestamp: '2026-01-31T00:30:00Z', ...object.metadata },
      },
    })),
  };
}

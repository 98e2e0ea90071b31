import {
  boolean,
  CLUSTER_LOG_LINES,
  CLUSTER_PAGE_KINDS,
  type ClusterNamespaces,
  type ClusterObject,
  type ClusterObjects,
  type ClusterVisit,
  choice,
  type Fields,
  text,
} from '@sallyport/contract';
import { exampleId } from '../../../http/openapi/examples.ts';
import { samples } from '../../../http/shapes.ts';

const MOMENT = '2026-01-31 09:30:00 +0800';
/** Tokens of API servers have some hundred characters. */
const MAX_CONTINUE = 4096;
const MAX_NAME = 253;

const nameField = (en: string, zh: string, example: string) =>
  ({ label: { en, zh }, max: MAX_NAME, example }) as const;

const NAMESPACE = nameField('Namespace', '命名空间', 'team-a');
const PAGE = {
  continue: text({ label: { en: 'Next page', zh: '下一页' }, max: MAX_CONTINUE, required: false }),
};
const KIND = choice({
  label: { en: 'Kind', zh: '类型' },
  choices: CLUSTER_PAGE_KINDS.map((kind) => ({
    value: kind.name,
    label: { en: kind.name, zh: kind.name },
  })),
});

export const NAMESPACES_QUERY = PAGE satisfies Fields;
export const OBJECTS_QUERY = {
  kind: KIND,
  /** Absent: all namespaces. */
  namespace: text({ ...NAMESPACE, required: false }),
  ...PAGE,
} satisfies Fields;
export const OBJECT_QUERY = {
  kind: KIND,
  namespace: text(NAMESPACE),
  name: text(nameField('Name', '名称', 'web-0')),
} satisfies Fields;
export const LOG_QUERY = {
  namespace: text(NAMESPACE),
  pod: text(nameField('Pod', 'Pod', 'web-0')),
  container: text(nameField('Container', '容器', 'main')),
  lines: choice({
    label: { en: 'Lines', zh: '行数' },
    choices: CLUSTER_LOG_LINES.map((lines) => ({
      value: String(lines),
      label: { en: String(lines), zh: String(lines) },
    })),
    required: false,
  }),
  /** The container before its last restart. */
  previous: boolean({ label: { en: 'Previous', zh: '上一个' }, required: false }),
  follow: boolean({ label: { en: 'Follow', zh: '跟踪' }, required: false }),
} satisfies Fields;

export const VISIT = samples<ClusterVisit>({
  id: exampleId('cluster'),
  cluster: exampleId('cluster'),
  cluster_name: 'production',
  system_user: exampleId('system_user'),
  system_user_name: 'bastion',
  namespaces: ['team-a'],
  lists_namespaces: false,
  date_expired: MOMENT,
});

export const NAMESPACES = samples<ClusterNamespaces>({
  names: ['default', 'team-a'],
  continue: '',
});

export const OBJECTS = samples<ClusterObjects>({
  columns: [
    { name: 'Ready', description: 'The aggregate readiness state of this pod.' },
    { name: 'Status', description: 'The aggregate status of the containers in this pod.' },
  ],
  rows: [{ name: 'web-0', namespace: 'team-a', date_created: MOMENT, cells: ['1/1', 'Running'] }],
  continue: '',
});

export const OBJECT = samples<ClusterObject>(
  {
    yaml: 'apiVersion: v1\nkind: Pod\n',
    containers: [
      {
        name: 'main',
        kind: 'container',
        image: 'nginx:1.29',
        state: 'Running',
        is_running: true,
        restarts: 0,
      },
    ],
    no_log: null,
    no_terminal: null,
  },
  { yaml: '', containers: [], no_log: 'not allowed', no_terminal: 'not allowed' },
);

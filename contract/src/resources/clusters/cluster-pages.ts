/** Kinds that the pages of a cluster list, with their API groups. */
export const CLUSTER_PAGE_KINDS = [
  { name: 'pods', group: '' },
  { name: 'deployments', group: 'apps' },
  { name: 'statefulsets', group: 'apps' },
  { name: 'daemonsets', group: 'apps' },
  { name: 'jobs', group: 'batch' },
  { name: 'cronjobs', group: 'batch' },
  { name: 'services', group: '' },
  { name: 'configmaps', group: '' },
  { name: 'secrets', group: '' },
] as const;

export type ClusterPageKind = (typeof CLUSTER_PAGE_KINDS)[number]['name'];

/** Lines of a log that a page asks for at first. */
export const CLUSTER_LOG_LINES = [200, 1000, 5000] as const;

/** Shells that a page can open in a container. */
export const POD_SHELLS = ['sh', 'bash', 'ash'] as const;

export type PodShell = (typeof POD_SHELLS)[number];

/** POST perms/users/clusters/visits/: a sign-in that looks at a cluster. */
export interface ClusterVisit {
  readonly id: string;
  readonly cluster: string;
  readonly cluster_name: string;
  readonly system_user: string;
  readonly system_user_name: string;
  /** Namespaces that permissions name without an asterisk. */
  readonly namespaces: readonly string[];
  /** True if a permission allows to list the namespaces of the cluster. */
  readonly lists_namespaces: boolean;
  readonly date_expired: string;
}

/** GET perms/users/clusters/visits/{id}/namespaces/ */
export interface ClusterNamespaces {
  readonly names: readonly string[];
  /** Token of the next page; empty on the last one. */
  readonly continue: string;
}

/** GET perms/users/clusters/visits/{id}/objects/: a table as the API server prints it. */
export interface ClusterObjects {
  readonly columns: readonly { readonly name: string; readonly description: string }[];
  readonly rows: readonly ClusterObjectRow[];
  /** Token of the next page; empty on the last one. */
  readonly continue: string;
}

export interface ClusterObjectRow {
  readonly name: string;
  readonly namespace: string;
  /** Empty if the API server gives none. */
  readonly date_created: string;
  /** Texts in the order of the columns. */
  readonly cells: readonly string[];
}

/** GET perms/users/clusters/visits/{id}/object/ */
export interface ClusterObject {
  /** The object without the values of Secrets. */
  readonly yaml: string;
  /** Containers of a pod; empty for other kinds. */
  readonly containers: readonly PodContainer[];
  /** The reason for which the user gets no log or terminal of a pod; null if allowed. */
  readonly no_log: string | null;
  readonly no_terminal: string | null;
}

export interface PodContainer {
  readonly name: string;
  readonly kind: 'container' | 'init' | 'ephemeral';
  readonly image: string;
  /** `running`, or the reason for which it is not. */
  readonly state: string;
  readonly is_running: boolean;
  readonly restarts: number;
}

import { isList, isObject, type Json, type JsonObject } from './kube-body.ts';

/**
 * Part of a pod that gives more than the pod: the node (as the *baseline* level of Kubernetes' Pod
 * Security Standards, and volumes as its *restricted* level), the rights of a service account, or
 * an ephemeral container.
 */
export interface Hazard {
  readonly action: 'node_pods' | 'escalate' | 'ephemeral';
  /** Path of the key, for the sentence of a refusal. */
  readonly place: string;
  /** Value or key that is the hazard, blank if the path says it. */
  readonly detail: string;
}

// The baseline, and SYS_PTRACE: `kubectl debug` adds it, and it ends at the namespace of processes.
const CAPABILITIES = new Set(
  `SYS_PTRACE AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE SETFCAP 
  SETGID SETPCAP SETUID SYS_CHROOT`.split(/\s+/),
);
const VOLUMES = new Set(
  `name configMap csi downwardAPI emptyDir ephemeral image persistentVolumeClaim projected
  secret`.split(/\s+/),
);
const SYSCTLS = new Set(
  `kernel.shm_rmid_forced net.ipv4.ip_local_port_range net.ipv4.ip_local_reserved_ports
  net.ipv4.ip_unprivileged_port_start net.ipv4.ping_group_range net.ipv4.tcp_fin_timeout
  net.ipv4.tcp_keepalive_intvl net.ipv4.tcp_keepalive_probes net.ipv4.tcp_keepalive_time
  net.ipv4.tcp_rmem net.ipv4.tcp_syncookies net.ipv4.tcp_wmem`.split(/\s+/),
);
const SELINUX_TYPES = new Set([
  '',
  'container_t',
  'container_init_t',
  'container_kvm_t',
  'container_engine_t',
]);
const PROFILES = new Set(['RuntimeDefault', 'Localhost']);
const APPARMOR = 'container.apparmor.security.beta.kubernetes.io/';

/** Returns the words of a value that are hazards, for the key that holds it. */
type Check = (value: Json) => readonly string[];
const unless = (isHarmless: boolean, words = ''): readonly string[] => (isHarmless ? [] : [words]);
const isOff: Check = (value) => unless(value === false || value === null);
const isAbsent: Check = (value) => unless(value === null);
const hasHost: Check = (value) =>
  unless(!isObject(value) || !value.host, isObject(value) ? 'host' : '');
const hasProfile: Check = (value) =>
  unless(!isObject(value) || value.type === undefined || PROFILES.has(`${value.type}`));

const NODE_CHECKS: Readonly<Record<string, Check>> = {
  hostPID: isOff,
  hostIPC: isOff,
  hostNetwork: isOff,
  privileged: isOff,
  hostProcess: isOff,
  adminAccess: isOff,
  procMount: (value) => unless(value === 'Default' || value === null),
  hostPort: (value) => unless(value === 0 || value === null),
  hostPath: isAbsent,
  flexVolume: isAbsent,
  gitRepo: isAbsent,
  // A persistent volume of a folder of the node.
  local: (value) => unless(!isObject(value) || value.path === undefined),
  seccompProfile: hasProfile,
  appArmorProfile: hasProfile,
  httpGet: hasHost,
  tcpSocket: hasHost,
  seLinuxOptions: (value) =>
    unless(
      !isObject(value) || (SELINUX_TYPES.has(`${value.type ?? ''}`) && !value.user && !value.role),
    ),
  capabilities: (value) => {
    const added = isObject(value) ? value.add : undefined;
    return isList(added) ? added.map(String).filter((name) => !CAPABILITIES.has(name)) : [];
  },
  sysctls: (value) =>
    objectsOf(value)
      .map((item) => `${item.name}`)
      .filter((name) => !SYSCTLS.has(name)),
  volumes: (value) =>
    objectsOf(value).flatMap((item) =>
      // Keys with a dollar are directives of a strategic merge patch.
      Object.keys(item).filter(
        (key) => item[key] !== null && !VOLUMES.has(key) && !key.startsWith('$'),
      ),
    ),
  annotations: (value) =>
    isObject(value)
      ? Object.entries(value).flatMap(([key, text]) =>
          unless(!key.startsWith(APPARMOR) || text !== 'unconfined', key),
        )
      : [],
};

const isNamedAccount: Check = (value) =>
  unless(value === null || value === '' || value === 'default', `${value}`);
const ACCOUNT_CHECKS: Readonly<Record<string, Check>> = {
  serviceAccountName: isNamedAccount,
  serviceAccount: isNamedAccount,
};
const CONTAINER_CHECKS: Readonly<Record<string, Check>> = {
  ephemeralContainers: (value) => unless(!isList(value) || value.length === 0),
};
const CHECKS = [
  ['node_pods', NODE_CHECKS],
  ['escalate', ACCOUNT_CHECKS],
  ['ephemeral', CONTAINER_CHECKS],
] as const;

const objectsOf = (value: Json): readonly JsonObject[] =>
  isList(value) ? value.filter((item) => isObject(item)) : [];

/** Longest place of a hazard. Each hazard has its own: long ones would fill the memory. */
const MOST_PLACE = 512;
const CUT = '…';

/** Returns a longer place, or a cut one that stands for all places below. */
function extend(place: string, part: string): string {
  if (place.endsWith(CUT)) return place;
  return place.length + part.length > MOST_PLACE ? `${place}${CUT}` : place + part;
}

/** Returns true if the place of a hazard is complete, so that it can be compared. */
export const isWhole = ({ place }: Hazard): boolean => !place.endsWith(CUT);

/** Returns place and detail of a hazard. */
export const hazardText = ({ place, detail }: Hazard): string =>
  detail ? `${place} ${detail}` : place;

/**
 * Returns the hazards anywhere in a value: an object of any kind, or a part of one such as a
 * patch. It looks at keys, not at the kind, so a template inside an extension is seen as well.
 */
export function hazardsIn(value: Json | undefined, path = ''): readonly Hazard[] {
  if (isList(value))
    return value.flatMap((item, index) => hazardsIn(item, extend(path, `[${index}]`)));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, child]) => {
    const place = extend(path, path ? `.${key}` : key);
    if (child === undefined) return [];
    const here = CHECKS.flatMap(([action, checks]) =>
      (Object.hasOwn(checks, key) ? (checks[key]?.(child) ?? []) : []).map((detail) => ({
        action,
        place,
        detail,
      })),
    );
    return [...here, ...hazardsIn(child, place)];
  });
}

const TOKEN_ACCOUNT = 'kubernetes.io/service-account.name';
const JOINING = 'bootstrap.kubernetes.io/token';

/**
 * Returns the parts of a Secret that make the cluster issue a token: for a service account, as its
 * subresource `token` does, or for machines that join.
 */
export function tokensIn(value: Json | undefined): readonly Hazard[] {
  if (!isObject(value)) return [];
  const { type, metadata } = value;
  const annotations = isObject(metadata) ? metadata.annotations : undefined;
  const account = (isObject(annotations) ? annotations[TOKEN_ACCOUNT] : undefined) ?? undefined;
  const place = `metadata.annotations.${TOKEN_ACCOUNT}`;
  return [
    ...(type === JOINING ? [{ action: 'escalate', place: 'type', detail: JOINING } as const] : []),
    ...(account !== undefined
      ? [{ action: 'escalate', place, detail: `${account}` } as const]
      : []),
  ];
}

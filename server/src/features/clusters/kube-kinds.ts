/** A resource that API servers have without extensions. */
export interface KubeKind {
  readonly subresources: readonly string[];
  /** True if its objects hold pods, templates of pods, volumes of nodes, or tokens of accounts. */
  readonly holdsPods: boolean;
}

/**
 * Resources and their subresources by API group, from the discovery of kube-apiserver 1.36.3. The
 * core group has the empty name. `metrics.k8s.io` is served by metrics-server. A `+` marks a
 * resource whose objects hold pods, templates of pods, volumes of nodes, or tokens of accounts.
 */
const GROUPS: Readonly<Record<string, string>> = {
  '': `bindings componentstatuses configmaps endpoints events limitranges
    namespaces/status,finalize nodes/proxy,status persistentvolumeclaims/status
    +persistentvolumes/status +podtemplates
    +pods/attach,binding,ephemeralcontainers,eviction,exec,log,portforward,proxy,resize,status
    +replicationcontrollers/scale,status resourcequotas/status +secrets serviceaccounts/token
    services/proxy,status`,
  'admissionregistration.k8s.io': `mutatingadmissionpolicies mutatingadmissionpolicybindings
    mutatingwebhookconfigurations validatingadmissionpolicies/status
    validatingadmissionpolicybindings validatingwebhookconfigurations`,
  'apiextensions.k8s.io': 'customresourcedefinitions/status',
  'apiregistration.k8s.io': 'apiservices/status',
  apps: `+controllerrevisions +daemonsets/status +deployments/scale,status
    +replicasets/scale,status +statefulsets/scale,status`,
  'authentication.k8s.io': 'selfsubjectreviews tokenreviews',
  'authorization.k8s.io': `localsubjectaccessreviews selfsubjectaccessreviews
    selfsubjectrulesreviews subjectaccessreviews`,
  autoscaling: 'horizontalpodautoscalers/status',
  batch: '+cronjobs/status +jobs/status',
  'certificates.k8s.io': 'certificatesigningrequests/approval,status',
  'coordination.k8s.io': 'leases',
  'discovery.k8s.io': 'endpointslices',
  'events.k8s.io': 'events',
  'flowcontrol.apiserver.k8s.io': 'flowschemas/status prioritylevelconfigurations/status',
  'metrics.k8s.io': 'nodes pods',
  'networking.k8s.io': `ingressclasses ingresses/status ipaddresses networkpolicies
    servicecidrs/status`,
  'node.k8s.io': 'runtimeclasses',
  policy: 'poddisruptionbudgets/status',
  'rbac.authorization.k8s.io': 'clusterrolebindings clusterroles rolebindings roles',
  'resource.k8s.io': `deviceclasses +resourceclaims/status +resourceclaimtemplates
    resourceslices`,
  'scheduling.k8s.io': 'priorityclasses',
  'storage.k8s.io': `csidrivers csinodes csistoragecapacities storageclasses
    volumeattachments/status volumeattributesclasses`,
};

const KINDS: ReadonlyMap<string, KubeKind> = new Map(
  Object.entries(GROUPS).flatMap(([group, line]) =>
    line.split(/\s+/).map((word): [string, KubeKind] => {
      const [, mark, name, list] = /^(\+?)([a-z]+)(?:\/([a-z,]+))?$/.exec(word) ?? [];
      return [
        `${name}.${group}`,
        { holdsPods: mark === '+', subresources: list?.split(',') ?? [] },
      ];
    }),
  ),
);

/** Returns a resource that every API server has, or undefined for an extension. */
export const kubeKind = (group: string, resource: string): KubeKind | undefined =>
  KINDS.get(`${resource}.${group}`);

/** POST perms/users/clusters/kubeconfig/: no other answer contains the token. */
export interface Kubeconfig {
  /** Address of the cluster at the bastion. */
  readonly server: string;
  readonly token: string;
  readonly date_expired: string;
  /** The end of the token, as `ExecCredential` needs it. */
  readonly expiration_timestamp: string;
  /** The file. */
  readonly kubeconfig: string;
}

/** POST applications/clusters/{id}/test/ */
export interface ClusterTest {
  readonly version: string;
  readonly may_impersonate: boolean;
}

/** The cluster and token of a kubeconfig. */
export interface KubeconfigParts {
  readonly name: string;
  readonly server: string;
  readonly token: string;
}

/**
 * Returns a kubeconfig as JSON, which is also YAML: names of clusters need no quoting rules. The
 * certificate of the bastion is verified by the authorities of the client.
 */
export function kubeconfig({ name, server, token }: KubeconfigParts): string {
  const user = `sallyport-${name}`;
  const file = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server } }],
    users: [{ name: user, user: { token } }],
    contexts: [{ name, context: { cluster: name, user } }],
    'current-context': name,
  };
  return `${JSON.stringify(file, undefined, 2)}\n`;
}

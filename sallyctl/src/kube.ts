import type { Kubeconfig } from '../../contract/src/index.ts';
import { safeServer, safeToken } from './answers.ts';
import { Failure, STATUS } from './failure.ts';
import { t } from './language.ts';
import { line } from './print.ts';
import { ask } from './programs.ts';
import { Refused, type Server } from './server.ts';
import { chooseAccount, clusterAccountsOf, findCluster } from './targets.ts';
import { words } from './words.ts';

/** Creates a token; asks for a second factor if a condition requires a fresh one. */
async function createToken(
  server: Server,
  wish: { readonly cluster: string; readonly system_user: string },
): Promise<Kubeconfig> {
  const create = () => server.post<Kubeconfig>('perms/users/clusters/kubeconfig/', wish);
  try {
    return await create();
  } catch (error) {
    if (!(error instanceof Refused) || error.body.code !== 'mfa_verify_required') throw error;
    const code = await ask(t(words.secondFactor));
    if (code === undefined) throw error;
    await server.post('authentication/otp/verify/', { code });
    return create();
  }
}

/** Finds a cluster and an account by the words of the user. @throws Failure */
async function choose(server: Server, target: string | undefined) {
  if (target === undefined) throw new Failure(t(words.usageKube), STATUS.usage);
  const { thing, account: wanted } = await findCluster(server, target);
  const accounts = await clusterAccountsOf(server, thing.id);
  return { cluster: thing, account: chooseAccount(accounts, wanted, thing.name) };
}

/**
 * Prints a kubeconfig without a secret: `kubectl` asks this program for each token. JSON is also
 * YAML.
 */
export async function kube(server: Server, target: string | undefined): Promise<number> {
  const { cluster, account } = await choose(server, target);
  const wish = { cluster: cluster.id, system_user: account.id };
  const issued = await createToken(server, wish);
  const user = `sallyport-${cluster.name}`;
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: 'sallyctl',
    args: ['kube-token', `${cluster.id}@${account.id}`],
    interactiveMode: 'IfAvailable',
  };
  const file = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: cluster.name, cluster: { server: safeServer(issued.server) } }],
    users: [{ name: user, user: { exec } }],
    contexts: [{ name: cluster.name, context: { cluster: cluster.name, user } }],
    'current-context': cluster.name,
  };
  line(JSON.stringify(file, undefined, 2));
  return 0;
}

/** Prints a token as `kubectl` expects it of an exec plugin. */
export async function kubeToken(server: Server, target: string | undefined): Promise<number> {
  const { cluster, account } = await choose(server, target);
  const issued = await createToken(server, { cluster: cluster.id, system_user: account.id });
  line(
    JSON.stringify({
      apiVersion: 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      status: {
        token: safeToken(issued.token),
        expirationTimestamp: issued.expiration_timestamp,
      },
    }),
  );
  return 0;
}

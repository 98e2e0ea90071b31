import type { ErrorCode, Problem } from '@sallyport/contract';
import type { Person } from '../../ports/people.ts';
import type { Connection, Route } from '../../protocols/connector.ts';
import {
  connectKubernetes,
  isClusterConnection,
  readSmallJson,
} from '../../protocols/kubernetes/connect.ts';
import { Refusal } from '../../refusal.ts';
import {
  type ClusterSession,
  clusterOpener,
  endsToken,
} from '../../sessions/cluster/cluster-session.ts';
import type { SessionClient } from '../../sessions/session-client.ts';
import { openFor } from '../open-for.ts';
import { type PodVisit, runPodCommand, type Surroundings } from './run-pod-command.ts';

/** Seconds for which a request waits for a reviewer. The client then repeats it. */
const APPROVAL_SECONDS = 45;

/** A user with the cluster and the account that a kubeconfig names. */
export interface ClusterVisit {
  readonly person: Person & { readonly loginId: string };
  readonly clusterId: string;
  readonly systemUserId: string;
  /** Called at the end. `isOver`: the token must open no other session. */
  readonly onEnd: (isOver: boolean) => void;
}

/** A cluster and the account that a test signs in with. */
export interface ClusterProbe {
  readonly cluster: {
    readonly id: string;
    readonly name: string;
    readonly host: string;
    readonly port: number;
    readonly tlsName: string;
    readonly authority: string;
  };
  readonly account: { readonly id: string; readonly name: string };
}

/** The part of the gateway that reaches API servers. */
export interface ClusterGateway {
  /** Opens a recorded session, with the checks of any session. @throws Refusal */
  open(visit: ClusterVisit): Promise<ClusterSession>;
  /** Runs a command at a pod as a recorded session. @throws Refusal until it is accepted */
  run(visit: PodVisit): Promise<{ readonly ended: Promise<void> }>;
  /**
   * Signs in with a stored account. Returns the version and if it may impersonate users and
   * groups. @throws Refusal
   */
  test(probe: ClusterProbe): Promise<{
    readonly version: string;
    readonly mayImpersonate: boolean;
  }>;
}

/** A client that cannot answer questions: `kubectl` reads errors only. */
class KubeClient implements SessionClient {
  readonly waitSeconds = APPROVAL_SECONDS;
  private readonly onClosed: (code: ErrorCode) => void;

  constructor(onClosed: (code: ErrorCode) => void) {
    this.onClosed = onClosed;
  }

  stage(): void {}

  opened(): void {}

  askCredentials(): Promise<never> {
    return Promise.reject(new Refusal('connect_no_account'));
  }

  closed({ code }: Problem): void {
    this.onClosed(code);
  }
}

const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

/** Asks an API server if the account may impersonate users or groups. */
async function mayImpersonate(
  connection: Connection,
  resource: 'users' | 'groups',
  signal: AbortSignal,
): Promise<boolean> {
  if (!isClusterConnection(connection)) return false;
  const answer = await connection.api.request(
    {
      method: 'POST',
      path: REVIEWS,
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: Buffer.from(
        JSON.stringify({
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SelfSubjectAccessReview',
          spec: { resourceAttributes: { verb: 'impersonate', resource } },
        }),
      ),
    },
    signal,
  );
  const { status } = (await readSmallJson(answer)) ?? {};
  return (
    typeof status === 'object' && status !== null && 'allowed' in status && status.allowed === true
  );
}

/** Creates the part of the gateway that reaches API servers. */
export function createClusterGateway(parts: Surroundings): ClusterGateway {
  const { ports, hub } = parts;
  return {
    run: (visit) => runPodCommand(visit, parts),
    open({ person, clusterId, systemUserId, onEnd }) {
      return openFor({
        ports,
        hub,
        person,
        request: { assetId: clusterId, kind: 'cluster', systemUserId, protocol: 'kubernetes' },
        client: new KubeClient((code) => onEnd(endsToken(code))),
        opener: clusterOpener,
        onBegin: () => undefined,
      });
    },
    async test({ cluster, account }) {
      const login = await ports.credentials.open(account.id, cluster.id, '');
      if (!login) throw new Refusal('connect_no_account');
      const { connectSeconds } = await ports.limits.read();
      const route: Route = {
        gateways: await ports.route.gateways(cluster.id, 'cluster'),
        target: { ...cluster, login },
        cluster: {
          tlsName: cluster.tlsName || cluster.host,
          authority: cluster.authority,
          account: account.name,
          rules: [],
        },
        hostKeys: ports.hostKeys,
        addresses: ports.addresses,
        timeoutMs: connectSeconds * 1000,
        onStage: () => undefined,
      };
      const signal = AbortSignal.timeout(connectSeconds * 3000);
      const connection = await connectKubernetes(route, signal);
      try {
        const both = await Promise.all([
          mayImpersonate(connection, 'users', signal),
          mayImpersonate(connection, 'groups', signal),
        ]);
        return { version: connection.version, mayImpersonate: both.every(Boolean) };
      } finally {
        connection.close();
      }
    },
  };
}

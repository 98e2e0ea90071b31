import type { Problem } from '@sallyport/contract';
import type { ClusterGateway } from '../../gateway/listeners/clusters/open-cluster.ts';
import type { PodTerminals } from '../../gateway/ports/pods.ts';
import type { Access, GatewayPorts } from '../../gateway/ports.ts';
import { isFault, problemOf, Refusal } from '../../gateway/refusal.ts';
import { defineModule } from '../../module.ts';
import { createAddressPolicy } from '../../platform/address-policy.ts';
import { createHook } from '../../platform/hook.ts';
import { assets } from '../assets/index.ts';
import { filters } from '../filters/index.ts';
import { identity } from '../identity/index.ts';
import { sshAuthorities } from '../ssh-authorities/index.ts';
import { createAccess } from './access.ts';
import type { Runner } from './agent-runner.ts';
import { createCredentials } from './credentials.ts';
import { createGuard } from './guard.ts';
import { createOpenings } from './openings.ts';
import { factorTime } from './permission-terms.ts';
import { createRoute, type TunnelOf } from './routes-to-assets.ts';
import { type ConnectionPorts, createCommandWork } from './run-commands.ts';
import { createRemoteWork } from './run-remote-work.ts';
import { NO_SITES, type SshListenerFacts } from './site-store.ts';

export type { ClusterGateway } from '../../gateway/listeners/clusters/open-cluster.ts';
export type { ClusterRule, TargetKind } from '../../gateway/ports/grant.ts';
export type { PodTerminals } from '../../gateway/ports/pods.ts';
export {
  acceptChannels,
  hasKnownProtocol,
} from '../../gateway/protocols/kubernetes/accept-channels.ts';
export { channelsOf } from '../../gateway/protocols/kubernetes/channels.ts';
export { readAnswer } from '../../gateway/protocols/kubernetes/remote-command.ts';
export { problemOf, Refusal, wordProblem } from '../../gateway/refusal.ts';
export {
  type ClusterSession,
  identityHeaders,
} from '../../gateway/sessions/cluster/cluster-session.ts';
export type {
  AgentPerson,
  LeashedPlace,
  Runner,
  RunnerCommand,
  RunnerResult,
  RunnerTable,
} from './agent-runner.ts';
export type { CommandPerson, CommandReport, CommandWork } from './command-work.ts';
export { createNamedDatabases } from './named-databases.ts';
export type { NamedAssets } from './openings.ts';
export type {
  AssetReport,
  PushReport,
  RemoteIdentity,
  RemoteKinds,
  RemoteWork,
} from './remote-work.ts';
export type { ConnectionPorts } from './run-commands.ts';
export type { SiteTunnelRow, SshListenerFacts } from './site-store.ts';

/** Connections to assets, and the work of jobs over them. */
export const connections = defineModule({
  name: 'connections',
  tables: [],
  create({ core: { db, vault, config, log }, use }) {
    const { accounts, hostKeys } = use(assets);
    const certificates = use(sshAuthorities);
    const listeners: (() => readonly number[])[] = [];
    let clusters: ClusterGateway | undefined;
    let pods: PodTerminals | undefined;
    const missing = (part: string) => () => {
      throw new Error(`the gateway did not set ${part}`);
    };
    const tunnels = createHook<Parameters<TunnelOf>, ReturnType<TunnelOf>>(
      'the tunnels of sites',
      missing('the tunnels of sites'),
    );
    const sites = createHook('the store of sites', () => NO_SITES);
    const sshListener = createHook<[], SshListenerFacts>(
      'the SSH listener',
      missing('the SSH listener'),
    );
    const runner = createHook<[], Runner>('the runner of agents', missing('the runner of agents'));
    const tunnelOf: TunnelOf = tunnels.call;
    const route = createRoute(db, vault, tunnelOf);
    const { openings, named } = createOpenings({ db, vault, certificates, route, hostKeys });
    const ports: ConnectionPorts & Required<Pick<GatewayPorts, 'openings' | 'pods'>> = {
      access: createAccess(db, use(identity).current),
      credentials: createCredentials({ db, vault, accounts, certificates }),
      route,
      openings,
      hostKeys,
      addresses: createAddressPolicy(config.targetNetworks, () =>
        listeners.flatMap((portsOf) => portsOf()),
      ),
      factors: use(identity).freshFactors,
      pods: {
        async prepare(...asked) {
          if (!pods) throw new Refusal('connect_denied');
          return pods.prepare(...asked);
        },
      },
      guard: createGuard(use(filters).rules, (loginId) => factorTime(db, loginId)),
      log,
    };
    return {
      service: {
        ports,
        /** Returns why a user may not use an account on an asset; undefined if the user may. */
        async refusalOf(...asked: Parameters<Access['check']>): Promise<Problem | undefined> {
          try {
            await ports.access.check(...asked);
            return undefined;
          } catch (error) {
            const problem = problemOf(error);
            if (isFault(problem)) throw error;
            return problem;
          }
        },
        /** Finds assets by the names that users type. */
        named,
        remote: createRemoteWork({ ...ports, db, vault, accounts, certificates, tunnelOf }),
        commands: createCommandWork(ports, db),
        /** The part of the gateway that holds the tunnels of sites. */
        setTunnels: tunnels.set,
        /** The stored sites: none while the feature of sites is off. */
        sites,
        sshListener,
        /** The part of the gateway that runs commands of agents. */
        runner,
        /** Sets the part of the gateway that reaches clusters. */
        setClusters(provided: ClusterGateway) {
          clusters = provided;
        },
        /** The part of the gateway that reaches clusters. */
        clusters(): ClusterGateway {
          if (!clusters) throw new Error('nothing reaches clusters');
          return clusters;
        },
        /** Sets the decision on terminals at pods. */
        setPods(provided: PodTerminals) {
          pods = provided;
        },
        /** Registers ports of this server, which no asset may have. */
        addOwnPorts: (portsOf: () => readonly number[]) => void listeners.push(portsOf),
      },
    };
  },
});

import type { Recordings } from '../../../platform/storage/recordings.ts';
import type { Gateway } from '../../gateway.ts';
import type { Hub } from '../../hub.ts';
import type { GatewayPorts } from '../../ports.ts';
import type { SshPorts } from './ports.ts';

export interface SshContext {
  readonly ports: GatewayPorts;
  readonly ssh: SshPorts;
  readonly hub: Hub;
  /** Serves sessions of other users on any server. */
  readonly visits: Pick<Gateway, 'watch' | 'guest'>;
  readonly recordings: Recordings;
}

import type { Connection } from '@sallyport/ssh';
import type { GatewayLog } from '../../ports.ts';
import type { SignedInSite } from '../../sites/site-connection.ts';
import type { Destination } from './destination.ts';
import type { SignedInUser, SshPorts, SshVisitor } from './ports.ts';

/** Surroundings of a sign-in over SSH. */
export interface AuthenticationParts {
  readonly ports: SshPorts;
  readonly connection: Connection;
  readonly visitor: SshVisitor;
  readonly log: GatewayLog;
  /** Returns true if the database answers; used to explain a failed sign-in. */
  readonly databaseAnswers?: (() => Promise<boolean>) | undefined;
  /** Called once, before the client learns that it is signed in. */
  readonly onSignedIn: (user: SignedInUser, destination: Destination) => void;
  /** Called when a site has proved its key, before its client learns that it is signed in. */
  readonly onSite: (site: SignedInSite) => void;
  /** Called when the sign-in starts to wait for a reviewer. Returns false if too many wait. */
  readonly onReview: () => boolean;
  /** Ends the connection, and tells the client why. */
  readonly giveUp: (text: string) => void;
}

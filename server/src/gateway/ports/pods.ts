import type { PodPlace } from '@sallyport/contract';
import type { ClusterRule } from './grant.ts';
import type { Person } from './people.ts';

/** Streams of a command at a pod that its client asked for. */
export interface PodStreams {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

/** A command at a pod that was decided, for an own session. */
export interface PodCommandPlan {
  /** Path and query for the API server. */
  readonly path: string;
  readonly choice: PodStreams;
  /** The command as a line, or undefined to attach to what runs. */
  readonly line: string | undefined;
  /** True for a shell at a terminal, whose lines are judged as they are typed. */
  readonly isShell: boolean;
  /** Returns the identity of the request by the permissions of now. @throws Refusal */
  readonly identify: (rules: readonly ClusterRule[]) => {
    readonly user: string;
    readonly groups: readonly string[];
  };
  /** Called with the id of the recorded session, before the command runs. */
  readonly onSession: (id: string) => Promise<void>;
  /** Settles when the session around the command has ended, and ends the command. */
  readonly isOver: Promise<void>;
}

/** A plan for a web terminal. */
export interface PodTerminalPlan extends PodCommandPlan {
  /** Keeps the session around the command open until the terminal ends. */
  readonly keepUntil: (ended: Promise<void>) => void;
}

export interface PodTerminals {
  /** Decides on a shell in a container. A refusal is logged. @throws Refusal */
  prepare(
    person: Person,
    target: { readonly clusterId: string; readonly systemUserId: string },
    pod: PodPlace,
  ): Promise<PodTerminalPlan>;
}

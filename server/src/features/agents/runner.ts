import type { Problem } from '@sallyport/contract';

/** A command that an agent runs for its owner. The gateway runs it as a recorded session. */
export interface RunnerCommand {
  readonly person: AgentPerson;
  readonly leash: {
    covers(target: {
      readonly host: string;
      readonly account: string;
      readonly username: string;
    }): boolean;
    decide(line: string): { readonly line: string } | { readonly refusal: string };
  };
  readonly assetId: string;
  readonly systemUserId: string;
  readonly line: string;
  readonly room: number;
  readonly signal: AbortSignal;
  readonly onSession: (id: string) => void;
}

/** The owner of an agent, as sessions name the two. */
export interface AgentPerson {
  readonly userId: string;
  readonly username: string;
  readonly display: string;
  readonly language: 'en';
  readonly remoteAddr: string;
  readonly loginFrom: 'WT';
  readonly loginId: string;
}

/** The result of a command. Texts are masked. */
export interface RunnerResult {
  readonly output: string;
  readonly errors: string;
  readonly bytes: number;
  readonly isCut: boolean;
  readonly exit:
    | { readonly code: number }
    | { readonly signal: string; readonly message?: string }
    | undefined;
  readonly hasRun: boolean;
  readonly problem: Problem | undefined;
}

/** A text file that is read, or replaced by `content`. */
export interface RunnerFile extends Omit<RunnerCommand, 'line'> {
  readonly path: string;
  readonly content: string | undefined;
}

/** An account on a host, and the owner and the leash that reach it. */
export type RunnerPlace = Pick<RunnerCommand, 'person' | 'leash' | 'assetId' | 'systemUserId'>;

/** Carries out the calls of agents. Never rejects. */
export interface Runner {
  /** Returns why the owner may not use an account from this address now; undefined if allowed. */
  refusalOf(place: RunnerPlace): Promise<Problem | undefined>;
  run(command: RunnerCommand): Promise<RunnerResult>;
  file(file: RunnerFile): Promise<RunnerResult>;
}

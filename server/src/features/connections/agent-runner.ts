import type { Problem } from '@sallyport/contract';

/** An account on a server or a database. */
export interface LeashedPlace {
  readonly kind: string;
  readonly host: string;
  readonly account: string;
  readonly username: string;
}

/** A command that an agent runs for its owner. The gateway runs it as a recorded session. */
export interface RunnerCommand {
  readonly person: AgentPerson;
  readonly leash: {
    covers(place: LeashedPlace): boolean;
    decide(line: string): { readonly line: string } | { readonly refusal: string };
    refusalOf(spellings: readonly string[]): string | undefined;
    readonly mayChange: boolean;
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
  /** The rows of a statement. */
  readonly table?: RunnerTable;
  /** The words for a statement that did not run as asked. */
  readonly outcome?:
    | { readonly state: 'done' | 'refused' | 'failed'; readonly detail: string }
    | undefined;
}

/** Rows of a database; `total` is the number that it returned or changed. */
export interface RunnerTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
  readonly total?: number | undefined;
}

/** A text file that is read, or replaced by `content`. */
export interface RunnerFile extends Omit<RunnerCommand, 'line'> {
  readonly path: string;
  readonly content: string | undefined;
}

/** A statement for a database. */
export interface RunnerStatement extends Omit<RunnerCommand, 'line'> {
  readonly statement: string;
  /** Maximum number of rows that are kept. */
  readonly rows: number;
  /** Rows that an UPDATE or DELETE may affect; without it, the answer shows them only. */
  readonly changes: number | undefined;
}

/** An account on a server or a database, and the owner and the leash that reach it. */
export interface RunnerPlace
  extends Pick<RunnerCommand, 'person' | 'leash' | 'assetId' | 'systemUserId'> {
  readonly kind: 'asset' | 'database_app';
}

/** Carries out the calls of agents. Never rejects. */
export interface Runner {
  /** Returns why the owner may not use an account from this address now; undefined if allowed. */
  refusalOf(place: RunnerPlace): Promise<Problem | undefined>;
  run(command: RunnerCommand): Promise<RunnerResult>;
  file(file: RunnerFile): Promise<RunnerResult>;
  query(statement: RunnerStatement): Promise<RunnerResult>;
}

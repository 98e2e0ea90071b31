import type { RemoteCode } from './words.ts';

/** What a module wants to know about a host. */
export type RemotePlatform = 'Linux' | 'Unix' | 'MacOS' | 'BSD' | 'Windows' | 'Other';

/** A small piece of work that is the same on every host: a constant script, and what goes in and out. */
export interface RemoteModule<Input, Result> {
  readonly name: string;
  /** A constant text for `/bin/sh`. Nothing is ever put into it: it reads its values from standard input with `take`. */
  readonly script: string;
  /** `root`: runs as root, by the escalation of the host. `account`: runs as the account that signed in. */
  readonly runsAs: 'root' | 'account';
  /**
   * The values in the order in which the script takes them. Checked before any host is contacted.
   * @throws Invalid with the field that is wrong
   */
  values(input: Input): readonly string[];
  /** `report`: the script says in lines what it changed and found. `output`: its output is the result. */
  readonly answer: 'report' | 'output';
  /** @throws RemoteRefusal when the answer makes no sense */
  result(answer: ModuleAnswer): Result;
  /** The same work on Windows. */
  readonly windows: WindowsPart<Input, Result>;
}

/** How a module works on Windows: a constant script for PowerShell with its own check of the input, or why it cannot work there. */
export type WindowsPart<Input, Result> =
  | {
      readonly script: string;
      /** As `values` of the module. @throws Invalid with the field that is wrong */
      values(input: Input): readonly string[];
      /** Where the answer differs. @throws RemoteRefusal when it makes no sense */
      result?(answer: ModuleAnswer): Result;
    }
  | { readonly refused: RemoteCode };

/** The values of a module for a platform. Where it is refused, nothing is sent. @throws Invalid with the field that is wrong */
export function valuesFor<Input>(
  { values, windows }: RemoteModule<Input, unknown>,
  input: Input,
  platform: RemotePlatform,
): readonly string[] {
  if (platform !== 'Windows') return values(input);
  return 'refused' in windows ? [] : windows.values(input);
}

/** What came back from a host, with everything bounded. */
export interface ModuleAnswer {
  /** `fact` lines of a report, in their order. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** Bytes of the account's program as text; empty for reports. */
  readonly output: string;
  readonly errors: string;
  /** More came than is kept. */
  readonly isCut: boolean;
  /** The status of the script; undefined when a signal ended it. */
  readonly status: number | undefined;
}

/** Declares a module; its types follow from its functions. */
export function remoteModule<Input, Result>(
  module: RemoteModule<Input, Result>,
): RemoteModule<Input, Result> {
  return module;
}

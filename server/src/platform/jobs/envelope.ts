import type { Vault } from '../crypto/vault.ts';
import { type JobCaller, type JobDefinition, SERVER_CALLER } from './definition.ts';

/** Queued data of a job. Only the server writes the caller. */
export interface Envelope {
  readonly input?: unknown;
  readonly sealed?: string;
  readonly caller: JobCaller;
  readonly subject: string;
  readonly history: 'all' | 'failures';
}

const placeOf = (name: string) => `job ${name}`;

interface UnwrappedJob {
  readonly input: unknown;
  readonly caller?: JobCaller | undefined;
  readonly subject?: string;
}

/** Wraps the input of a job for the queue, sealed if it contains secrets. */
export function wrap(
  vault: Vault,
  definition: JobDefinition,
  { input, caller = SERVER_CALLER, subject = '' }: UnwrappedJob,
): Envelope {
  const { userId, name, organization, language, zone } = caller;
  return {
    ...(definition.sealed
      ? { sealed: vault.seal(JSON.stringify(input ?? null), placeOf(definition.name)) }
      : { input }),
    caller: { userId, name, organization, language, zone },
    subject,
    history: definition.history,
  };
}

/**
 * Unwraps the input.
 * @throws if it is invalid
 */
export function unwrap(
  vault: Vault,
  definition: JobDefinition,
  { input, sealed }: Envelope,
): unknown {
  return definition.input(
    sealed === undefined ? input : JSON.parse(vault.open(sealed, placeOf(definition.name))),
  );
}

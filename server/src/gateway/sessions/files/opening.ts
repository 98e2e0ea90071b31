import type { TargetFiles } from '../../protocols/connector.ts';
import { ifExists } from './boundary.ts';

/** An opening that the target may still be working on. */
export interface Opening {
  readonly real: Buffer;
  readonly handle: Promise<Buffer>;
  /** The path after the opening; undefined if the target does not resolve links. */
  readonly resolved: Promise<Buffer | undefined> | undefined;
}

/**
 * Sends an opening. A target that resolves links answers in order, so the path after the opening
 * takes no other round trip.
 */
export function sendOpening(
  files: TargetFiles,
  real: Buffer,
  how: 'read' | 'create' | 'change',
  mode?: number,
): Opening {
  const handle = files.open(real, how, mode);
  const resolved = resolve(files, real);
  for (const answer of [handle, resolved]) answer?.catch(() => undefined);
  return { real, handle, resolved };
}

/** Asks a target that resolves links for the path of a file. */
export function resolve(files: TargetFiles, real: Buffer): Promise<Buffer | undefined> | undefined {
  return files.resolvesLinks ? ifExists(files.realPath(real)) : undefined;
}

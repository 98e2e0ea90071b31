import { RecordingError } from '../../../kit/recording.ts';
import type { DrawnRecording } from './still-picture.ts';

/**
 * Size limits for pictures; the player shows longer recordings. Desktops stay compressed in memory
 * and are read in parts.
 */
const MOST_BYTES = { terminal: 8 * 1024 * 1024, desktop: 32 * 1024 * 1024 } as const;

/** Loads a recording and its renderer. @throws RecordingError */
export async function loadDrawn(
  kind: 'terminal' | 'desktop',
  address: string,
  signal: AbortSignal,
): Promise<DrawnRecording> {
  const bounded = (bytes: number) => {
    if (bytes > MOST_BYTES[kind]) throw new RecordingError('too_large');
  };
  const { load } =
    kind === 'desktop' ? await import('./drawn-desktop.ts') : await import('./drawn-screen.ts');
  return load(address, signal, bounded);
}

import { paletteOf } from '../../../kit/palettes.ts';
import { loadRecording } from '../../../kit/recording.ts';
import { ScreenPicture } from './screen-picture.ts';
import type { DrawnRecording } from './still-picture.ts';

/** Loads the recording of a terminal. */
export async function load(
  address: string,
  signal: AbortSignal,
  progress: (bytes: number) => void,
): Promise<DrawnRecording> {
  const recording = await loadRecording(address, signal, progress);
  return {
    duration: recording.duration,
    draw: (host) => new ScreenPicture(host, recording, paletteOf('dark')),
  };
}

import { loadDesktopRecording } from '../../../kit/desktop-recording/desktop-recording.ts';
import { loadRecordedPictures } from '../../../kit/desktop-recording/load-recorded-pictures.ts';
import { StillDesktop } from '../../../kit/desktop-recording/still-desktop.ts';
import type { DrawnRecording } from './still-picture.ts';

/** Loads the recording of a desktop. */
export async function load(
  address: string,
  signal: AbortSignal,
  progress: (bytes: number) => void,
): Promise<DrawnRecording> {
  const recording = await loadDesktopRecording(address, signal, progress);
  const make = await loadRecordedPictures(recording.facts.protocol);
  return {
    duration: recording.duration,
    draw(host, failed) {
      const still = new StillDesktop(host, recording, make);
      return {
        show: (second) => void still.show(second).catch(failed),
        // Desktops have their own colors.
        setPalette: () => undefined,
        dispose: () => still.dispose(),
      };
    },
  };
}

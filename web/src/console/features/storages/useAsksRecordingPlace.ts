import { useAttention } from '../../base/useAttention.ts';

/** Returns true while several servers run and the place of their recordings is not chosen. */
export const useAsksRecordingPlace = (): boolean =>
  useAttention().data?.some(({ kind }) => kind === 'recordings_on_disks') ?? false;

import { useAttention } from '../../base/useAttention.ts';

/** Returns true while several servers run and nobody has chosen the place of their recordings. */
export const useAsksRecordingPlace = (): boolean =>
  useAttention().data?.some(({ kind }) => kind === 'recordings_on_disks') ?? false;

import type { SettingsService } from './service.ts';

const MEBIBYTE = 1_048_576;

/** Free bytes on the disk of recordings below which sessions end and no new ones start. */
export const diskReserveBytes = (settings: Pick<SettingsService, 'get'>): number =>
  settings.get('TERMINAL_RECORDING_DISK_RESERVE') * MEBIBYTE;

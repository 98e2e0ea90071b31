import type { FileReport } from '@sallyport/rdp';
import type { DesktopEvents } from '../target-desktop.ts';

/** Reports transfers in one direction, with `/` as path separator. */
export function reportOf(events: DesktopEvents, operation: 'upload' | 'download'): FileReport {
  const path = (name: string) => name.replaceAll('\\', '/');
  return {
    begin: (name) => events.onFile(operation, path(name)),
    refused: (name, reason) => events.onFileRefused(operation, path(name), reason),
  };
}

import { actionMask } from '@sallyport/contract';
import type { Grant } from '../../ports/grant.ts';
import type { DesktopRights } from '../../protocols/target-desktop.ts';

/** Returns the directions of text and files that a permission allows. */
export function rightsOf({ actions }: Pick<Grant, 'actions'>): DesktopRights {
  const has = (name: string) => (actions & actionMask([name])) !== 0;
  return {
    clipboard: { copy: has('clipboard_copy'), paste: has('clipboard_paste') },
    files: { upload: has('upload_file'), download: has('download_file') },
  };
}

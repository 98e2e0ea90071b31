import {
  IconFile,
  IconFileDots,
  IconFileText,
  IconFileTypePdf,
  IconFileZip,
  IconFolder,
  IconLink,
  IconPhoto,
} from '../icons.ts';
import { type FileItem, viewerOf } from './entries.ts';
import styles from './Files.module.css';

/** Icon of a file's kind; the type column names the kind. */
export function FileIcon({ item: { kind, name } }: { readonly item: FileItem }) {
  const viewer = kind === 'file' ? viewerOf(name) : undefined;
  const Icon =
    kind === 'folder'
      ? IconFolder
      : kind === 'link'
        ? IconLink
        : kind === 'other'
          ? IconFileDots
          : viewer === 'image'
            ? IconPhoto
            : viewer === 'pdf'
              ? IconFileTypePdf
              : viewer === 'text'
                ? IconFileText
                : /\.(zip|t?gz|bz2|xz|zst|7z|rar|tar)$/i.test(name)
                  ? IconFileZip
                  : IconFile;
  return <Icon size={18} className={styles.icon} data-kind={kind} aria-hidden="true" />;
}

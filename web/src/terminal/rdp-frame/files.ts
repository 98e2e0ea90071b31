import {
  type Backend,
  FileContentsFlags,
  fileContentsRequestCallback,
  fileContentsResponseCallback,
  filesAvailableCallback,
  initiateFileCopy,
  requestFileContents,
  submitFileContents,
} from '@devolutions/iron-remote-desktop-rdp';
import type { FileFromFrame, FileToFrame } from '../../kit/rdp-frame/messages.ts';
import { readDropped } from '../files/dropped-files.ts';

type Builder = InstanceType<typeof Backend.SessionBuilder>;
type Extension = Parameters<Builder['extension']>[0];
type Tell = (message: FileFromFrame, transfer?: Transferable[]) => void;
/** Length in bytes of a file size response (MS-RDPECLIP 2.2.5.3). */
const SIZE_BYTES = 8;

/**
 * File events of the library: file lists and contents of the desktop, and its requests for local
 * files.
 */
export function fileExtensions(tell: Tell): readonly Extension[] {
  return [
    filesAvailableCallback((files) =>
      tell({
        type: 'offered',
        files: files.map(({ name, path, size, isDirectory }) => ({
          name: path ? `${path}\\${name}` : name,
          size,
          isFolder: isDirectory === true,
        })),
      }),
    ),
    fileContentsResponseCallback(({ streamId, isError, data }) => {
      const bytes = data.slice();
      tell({ type: 'contents', streamId, bytes: isError ? null : bytes }, [bytes.buffer]);
    }),
    fileContentsRequestCallback(({ streamId, index, flags, position, size }) =>
      tell({
        type: 'asked',
        streamId,
        index,
        isSize: (flags & FileContentsFlags.SIZE) !== 0,
        position,
        length: size,
      }),
    ),
  ];
}

/** Runs a file command of the page. */
export function controlFiles(
  session: { invokeExtension(extension: Extension): unknown },
  tell: Tell,
): (message: FileToFrame) => void {
  return (message) => {
    if (message.type === 'offer') {
      const files = message.files.map(({ path, size, lastModified, isFolder }) => {
        const cut = path.lastIndexOf('\\');
        return {
          name: path.slice(cut + 1),
          ...(cut > 0 && { path: path.slice(0, cut) }),
          size,
          lastModified,
          isDirectory: isFolder,
        };
      });
      session.invokeExtension(initiateFileCopy(files));
      return;
    }
    const { streamId } = message;
    if (message.type === 'contents') {
      session.invokeExtension(
        submitFileContents({
          stream_id: streamId,
          is_error: message.bytes === null,
          data: message.bytes ?? new Uint8Array(),
        }),
      );
      return;
    }
    const { index, isSize, position, length } = message;
    const what = isSize
      ? { flags: FileContentsFlags.SIZE, position: 0, size: SIZE_BYTES }
      : { flags: FileContentsFlags.RANGE, position, size: length };
    try {
      session.invokeExtension(
        requestFileContents({ stream_id: streamId, file_index: index, ...what }),
      );
    } catch {
      tell({ type: 'contents', streamId, bytes: null });
    }
  };
}

/**
 * Forwards files dropped on the desktop. Without the handler the browser would navigate the frame
 * to the file.
 */
export function listenToDrops(tell: Tell): void {
  const drags = (on: boolean) => document.body.classList.toggle('drops', on);
  window.addEventListener('dragover', (event) => {
    event.preventDefault();
    if (event.dataTransfer) event.dataTransfer.dropEffect = 'copy';
    drags(true);
  });
  window.addEventListener('dragleave', () => drags(false));
  window.addEventListener('drop', (event) => {
    event.preventDefault();
    drags(false);
    if (event.dataTransfer)
      void readDropped(event.dataTransfer).then(({ files, folders }) =>
        tell({ type: 'dropped', files, folders }),
      );
  });
}

import {
  type FileChange,
  type FileChangeLine,
  type FileDetail,
  type FilesConnectLine,
  type FolderLine,
  MAX_CHOSEN_FILES,
  type TextFile,
  type UploadState,
} from '@sallyport/contract';
import { ApiError, addressOf, api, errorOf, headersOf } from '../../kit/api.ts';
import { t } from '../../kit/i18n/index.ts';
import { words } from './words.ts';

/** The asset and the account whose files are shown. */
export interface FilesPlace {
  readonly asset: string;
  readonly account: string;
}

/** Answers of the user to the questions of a connection. */
export type Given =
  | { readonly username: string; readonly password: string }
  | { readonly reason: string };

/** Maximum length of an address that common proxies accept. */
const MOST_ADDRESS = 7000;

const baseOf = ({ asset, account }: FilesPlace) => `files/${asset}/${account}`;
/** A path in an address; one with bytes that are no text is written as JSON. */
export const inAddress = (path: string): string =>
  path.isWellFormed() ? path : JSON.stringify(path);
/** Names may begin or end with spaces, so nothing is trimmed. */
const withPath = (address: string, path: string) =>
  `${address}?path=${encodeURIComponent(inAddress(path))}`;

interface LinesOptions<Line> {
  readonly method: 'GET' | 'POST';
  readonly body?: unknown;
  readonly onLine: (line: Line) => void;
  readonly signal?: AbortSignal;
}

/** Reads a response line by line as it arrives. @throws ApiError for an error response */
async function readLines<Line>(
  path: string,
  { method, body, onLine, signal }: LinesOptions<Line>,
): Promise<void> {
  let response: Response;
  try {
    response = await fetch(addressOf(path), {
      method,
      headers: headersOf(body === undefined ? undefined : 'application/json'),
      credentials: 'same-origin',
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
    if (!response.ok) throw errorOf(response.status, await response.json().catch(() => undefined));
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true };
      if (done) break;
      const lines = (rest + value).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line) onLine(JSON.parse(line) as Line);
    }
  } catch (error) {
    if (error instanceof ApiError || signal?.aborted) throw error;
    throw new ApiError(0, 'unreachable', '');
  }
}

/** Connects; the last line is the result. */
export function connect(
  place: FilesPlace,
  given: Given | undefined,
  onLine: (line: FilesConnectLine) => void,
  signal: AbortSignal,
) {
  return readLines<FilesConnectLine>(`${baseOf(place)}/connect/`, {
    method: 'POST',
    body: given ?? {},
    onLine,
    signal,
  });
}

/** Reads a folder. */
export function readFolder(
  place: FilesPlace,
  path: string,
  onLine: (line: FolderLine) => void,
  signal: AbortSignal,
) {
  return readLines<FolderLine>(withPath(`${baseOf(place)}/entries/`, path), {
    method: 'GET',
    onLine,
    signal,
  });
}

/** Reads one entry, with the target of a link. */
export function readEntry(place: FilesPlace, path: string): Promise<FileDetail> {
  return api.get<FileDetail>(withPath(`${baseOf(place)}/entry/`, path), { quiet: true });
}

/** Errors of single items of a change, by index. */
export type ChangeFailures = ReadonlyMap<number, string>;

interface ChangeOptions {
  readonly signal?: AbortSignal;
  /** Receives the number of files and folders that were deleted so far. */
  readonly onRemoved?: (count: number) => void;
}

/** Changes files; returns the errors of single items. */
export async function changeFiles(
  place: FilesPlace,
  change: FileChange,
  { signal, onRemoved }: ChangeOptions = {},
): Promise<ChangeFailures> {
  const failures = new Map<number, string>();
  let before = 0;
  let removed = 0;
  for (let at = 0; at < change.items.length; at += MAX_CHOSEN_FILES) {
    const items = change.items.slice(at, at + MAX_CHOSEN_FILES);
    let isWhole = false;
    await readLines<FileChangeLine>(`${baseOf(place)}/changes/`, {
      method: 'POST',
      body: { ...change, items },
      onLine: (line) => {
        if ('end' in line) isWhole = true;
        else if ('removed' in line) {
          removed = line.removed;
          onRemoved?.(before + removed);
        } else if ('item' in line && line.message !== undefined)
          failures.set(at + line.item, line.message);
        if ('item' in line && !('removed' in line)) {
          before += Math.max(removed, 1);
          removed = 0;
        }
      },
      ...(signal && { signal }),
    });
    if (!isWhole) throw new ApiError(0, 'unreachable', '');
  }
  return failures;
}

/** The address of a file's bytes; `isView` for images and PDF that are drawn in the page. */
export function contentAddress(place: FilesPlace, path: string, isView = false): string {
  return `/api/v1/${withPath(`${baseOf(place)}/content/`, path)}${isView ? '&view=1' : ''}`;
}

/** The address of an archive. @throws ApiError when it would be longer than addresses can be */
export function archiveAddress(place: FilesPlace, paths: readonly string[], name: string): string {
  const chosen = paths.map((path) => `path=${encodeURIComponent(inAddress(path))}`).join('&');
  const address = `/api/v1/${baseOf(place)}/zip/?${chosen}&name=${encodeURIComponent(name.toWellFormed().slice(0, 120))}`;
  if (paths.length > MAX_CHOSEN_FILES || address.length > MOST_ADDRESS)
    throw new ApiError(400, 'file_chosen', t(words.tooMany, { max: paths.length - 1 }));
  return address;
}

export const readTextFile = (place: FilesPlace, path: string): Promise<TextFile> =>
  api.get<TextFile>(withPath(`${baseOf(place)}/text/`, path), { quiet: true });
export const saveTextFile = (
  place: FilesPlace,
  path: string,
  file: TextFile,
): Promise<{ version: string }> =>
  api.put<{ version: string }>(withPath(`${baseOf(place)}/text/`, path), file, { quiet: true });

/** Parameters that every request of an upload carries. */
export interface UploadTarget {
  readonly place: FilesPlace;
  readonly id: string;
  readonly path: string;
  readonly size: number;
  readonly modifiedAt: number;
  readonly overwrite: boolean;
}

function uploadAddress(
  { place, id, path, size, modifiedAt, overwrite }: UploadTarget,
  offset?: number,
): string {
  const more = `${offset === undefined ? '' : `&offset=${offset}`}${overwrite ? '&overwrite=1' : ''}`;
  return `${withPath(`${baseOf(place)}/uploads/${id}/`, path)}&size=${size}&modified_at=${modifiedAt}${more}`;
}

/** Reads the progress of an upload on the server. */
export const uploadState = (target: UploadTarget): Promise<UploadState> =>
  api.get<UploadState>(uploadAddress(target), { quiet: true });
/** Cancels an upload on the server. */
export const dropUpload = (target: UploadTarget): Promise<void> =>
  api.delete(uploadAddress(target), { quiet: true });

interface Piece {
  readonly offset: number;
  readonly piece: Blob;
  readonly onSent: (bytes: number) => void;
  readonly signal: AbortSignal;
}

/** Sends one piece with XMLHttpRequest: `fetch` reports no upload progress. */
export function sendPiece(
  target: UploadTarget,
  { offset, piece, onSent, signal }: Piece,
): Promise<UploadState> {
  return new Promise((done, failed) => {
    const request = new XMLHttpRequest();
    request.open('PUT', addressOf(uploadAddress(target, offset)));
    for (const [name, value] of headersOf('application/octet-stream'))
      request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded }) => onSent(loaded);
    const lost = () => failed(new ApiError(0, 'unreachable', ''));
    request.onerror = lost;
    request.ontimeout = lost;
    request.onabort = () => failed(signal.reason);
    request.onload = () => {
      let body: unknown;
      try {
        body = JSON.parse(request.responseText);
      } catch {
        body = undefined;
      }
      if (request.status >= 200 && request.status < 300) done(body as UploadState);
      else failed(errorOf(request.status, body));
    };
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(piece);
  });
}

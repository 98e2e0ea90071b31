import type { ReplayInfo } from '@sallyport/contract';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { api } from '../../kit/api.ts';

/** The type and the address of a session's recording. */
export const replayInfo = (session: string) =>
  queryOptions({
    queryKey: ['replay', session],
    queryFn: ({ signal }) =>
      api.get<ReplayInfo>(`terminal/sessions/${session}/replay/`, { signal, quiet: true }),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** A download, and the way to abort it. */
interface Download {
  readonly response: Promise<Response>;
  readonly stop: AbortController;
}

/** The downloads that no player has taken yet, by address. */
const downloads = new Map<string, Download>();

function beginDownload(address: string): Download {
  const stop = new AbortController();
  const response = fetch(address, { credentials: 'same-origin', signal: stop.signal });
  // The player reports a failure once it takes the download.
  response.catch(() => undefined);
  return { response, stop };
}

/** Begins to download the recording of a session while the code of the player still loads. */
export async function beginReplay(client: QueryClient, session: string): Promise<void> {
  try {
    const { src, type } = await client.fetchQuery(replayInfo(session));
    // A desktop is downloaded by its own player.
    if (type === 'asciicast') downloads.set(src, beginDownload(src));
  } catch {
    // The player asks again, and reports the failure.
  }
}

/** Returns the download of a recording, which may have begun already. The signal aborts it. */
export function takeDownload(address: string, signal: AbortSignal): Promise<Response> {
  const { response, stop } = downloads.get(address) ?? beginDownload(address);
  downloads.delete(address);
  if (signal.aborted) stop.abort();
  signal.addEventListener('abort', () => stop.abort(), { once: true });
  return response;
}

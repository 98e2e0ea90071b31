import { api } from './api.ts';

/**
 * Stores a set of ids on the server and returns its name, so an address can refer to any number of
 * ids (conformance 7.6).
 */
export async function nameSet(ids: readonly string[], signal?: AbortSignal): Promise<string> {
  const { spm } = await api.post<{ spm: string }>(
    'common/resources/cache/',
    { resources: ids },
    { quiet: true, ...(signal && { signal }) },
  );
  return spm;
}

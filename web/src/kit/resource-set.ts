import { api } from './api.ts';

/** Gives a set of ids a name, so that an address can mean it however many they are (conformance 7.6). */
export async function nameSet(ids: readonly string[], signal?: AbortSignal): Promise<string> {
  const { spm } = await api.post<{ spm: string }>(
    'common/resources/cache/',
    { resources: ids },
    { quiet: true, ...(signal && { signal }) },
  );
  return spm;
}

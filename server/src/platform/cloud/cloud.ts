import type { CloudProvider, Language } from '@sallyport/contract';

/** A region of a provider, with its name as the provider writes it. */
export interface Region {
  readonly id: string;
  readonly name: string;
}

/** A virtual machine of a provider that is there: not one that is being deleted. */
export interface Instance {
  /** As the provider identifies it, for as long as it exists. */
  readonly id: string;
  readonly name: string;
  readonly region: string;
  /** Empty for one that has none. */
  readonly privateIp: string;
  readonly publicIp: string;
  readonly isWindows: boolean;
}

/** What we ask of a provider. Every request is bounded in time and size, and repeated where the provider asks for patience. */
export interface Cloud {
  /** The regions that the account may use. @throws CloudError */
  regions(language: Language): Promise<readonly Region[]>;
  /** The instances of a region, page by page. @throws CloudError; what came before the error is not the whole list */
  instances(region: string): AsyncGenerator<readonly Instance[]>;
}

/** How a provider is reached, and with which key. */
export interface CloudAccess {
  readonly provider: CloudProvider;
  readonly keyId: string;
  readonly secret: string;
  /** `https://host:port` of a private cloud; empty: the addresses of the provider. */
  readonly endpoint: string;
  /** PEM of the authority of the endpoint; empty: the public ones. */
  readonly certificate: string;
}

/** What may be wrong with a request to a provider. */
export type CloudProblem =
  | 'wrong_key'
  | 'no_right'
  | 'region_closed'
  | 'throttled'
  | 'unavailable'
  | 'no_answer'
  | 'untrusted'
  | 'refused_address'
  | 'too_long'
  | 'endless'
  | 'unexpected';

/** The characters of a provider's own words that are shown. */
const SAID_MAX = 160;

/** Why a provider did not do what it was asked. `said` may be shown to administrators: it has no secret. */
export class CloudError extends Error {
  override readonly name = 'CloudError';
  readonly problem: CloudProblem;
  readonly said: string;

  constructor(problem: CloudProblem, said = '') {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
    const plain = said.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').slice(0, SAID_MAX);
    super(`${problem}: ${plain}`);
    this.problem = problem;
    this.said = plain;
  }
}

/** What a status means where a code says nothing. */
export function problemOfStatus(status: number): CloudProblem {
  if (status === 401) return 'wrong_key';
  if (status === 403) return 'no_right';
  if (status === 429) return 'throttled';
  return status >= 500 ? 'unavailable' : 'unexpected';
}

/** A list in an answer. An answer without it is no empty list: that would mean that all machines are gone. @throws CloudError */
export function listIn<T>(value: unknown): readonly T[] {
  if (!Array.isArray(value)) throw new CloudError('unexpected', 'no list');
  return value as readonly T[];
}

/** Pages of one region, at the most. */
const MOST_PAGES = 1_000;

/** Reads page after page until there is no next one. @throws CloudError for a list that does not end */
export async function* pagesOf(
  read: (
    token: string | undefined,
  ) => Promise<{ readonly instances: readonly Instance[]; readonly next: string | undefined }>,
): AsyncGenerator<readonly Instance[]> {
  const seen = new Set<string>();
  for (let token: string | undefined; ; ) {
    const { instances, next } = await read(token);
    yield instances;
    if (!next) return;
    if (seen.has(next) || seen.size >= MOST_PAGES) throw new CloudError('endless');
    seen.add(next);
    token = next;
  }
}

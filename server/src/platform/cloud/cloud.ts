import type { CloudProvider, Language } from '@sallyport/contract';

/** A region with its name at the provider. */
export interface Region {
  readonly id: string;
  readonly name: string;
}

/** A virtual machine of a provider. Machines that are being deleted are left out. */
export interface Instance {
  /** Id at the provider, stable for the life of the instance. */
  readonly id: string;
  readonly name: string;
  readonly region: string;
  /** Empty if the instance has none. */
  readonly privateIp: string;
  readonly publicIp: string;
  readonly isWindows: boolean;
}

/**
 * Client of a provider. Requests have limits of time and size, and are retried after transient
 * errors.
 */
export interface Cloud {
  /**
   * Lists the regions that the account may use.
   * @throws CloudError
   */
  regions(language: Language): Promise<readonly Region[]>;
  /**
   * Yields the instances of a region page by page. After an error the list is incomplete.
   * @throws CloudError
   */
  instances(region: string): AsyncGenerator<readonly Instance[]>;
}

/** Address and key of a provider. */
export interface CloudAccess {
  readonly provider: CloudProvider;
  readonly keyId: string;
  readonly secret: string;
  /** `https://host:port` of a private cloud; empty: the public addresses of the provider. */
  readonly endpoint: string;
  /** Certificate authority of the endpoint as PEM; empty: the public authorities. */
  readonly certificate: string;
}

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

/** Maximum characters of a provider's message that we show. */
const DETAIL_MAX = 160;

/** A failed request to a provider. Administrators may see `detail`: it contains no secret. */
export class CloudError extends Error {
  override readonly name = 'CloudError';
  readonly problem: CloudProblem;
  readonly detail: string;

  constructor(problem: CloudProblem, detail = '') {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
    const plain = detail.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').slice(0, DETAIL_MAX);
    super(`${problem}: ${plain}`);
    this.problem = problem;
    this.detail = plain;
  }
}

/** Maps an HTTP status to a problem, for responses without a known code. */
export function problemOfStatus(status: number): CloudProblem {
  if (status === 401) return 'wrong_key';
  if (status === 403) return 'no_right';
  if (status === 429) return 'throttled';
  return status >= 500 ? 'unavailable' : 'unexpected';
}

/**
 * Returns a list of a response. A missing list is an error: as an empty list it would mean that all
 * instances were deleted.
 * @throws CloudError
 */
export function listIn<T>(value: unknown): readonly T[] {
  if (!Array.isArray(value)) throw new CloudError('unexpected', 'no list');
  return value as readonly T[];
}

/** Maximum pages of a region. */
const MOST_PAGES = 1_000;

/**
 * Reads pages until the last one.
 * @throws CloudError for a list that does not end
 */
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

import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { StartError } from '../../../../config.ts';
import { authoritiesOf } from '../../../../platform/outgoing.ts';
import { onUnaskedUpgrade } from '../../../../platform/unasked-upgrade.ts';
import { signatureOf } from '../../../access-key.ts';
import type { ApiSettings } from './settings.ts';

/** An object of a list in the API. */
export type Item = Readonly<Record<string, unknown>>;

/** Rows that we ask for; servers may send fewer. */
const PAGE = 500;
const PAGE_BYTES = 16 * 1024 * 1024;
/** Maximum rows of one import. */
const MOST_ROWS = 2_000_000;
const MOST_REQUESTS = 200_000;
/** Timeout of one request, from the DNS lookup to the last byte. */
const ANSWER_MS = 60_000;

/** The server does not give a list to the owner of the key, or does not have it. */
export class ApiRefusal extends StartError {
  readonly status: number;

  constructor(path: string, status: number) {
    super(
      status === 401
        ? `The server rejects the access key (${path}). Check its id, its secret and the clock of this machine.`
        : status === 403 || status === 412
          ? `The owner of the access key may not read ${path}. Use the key of an administrator.`
          : `${path} answers with status ${status}.`,
    );
    this.status = status;
  }
}

const isItem = (value: unknown): value is Item =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reads the API of JumpServer with an access key. Follows no redirect. */
export class ApiClient {
  readonly #settings: ApiSettings;
  readonly #authorities: string[];
  /** Length of each list, by organization and path, as its first page says. */
  readonly #counts = new Map<string, number>();
  #requests = 0;
  #rows = 0;

  constructor(settings: ApiSettings) {
    this.#settings = settings;
    this.#authorities = authoritiesOf(settings.authority ?? '');
  }

  /** Reads one object. @throws StartError; ApiRefusal for another status than 200 */
  async get(path: string, organization: string): Promise<Item> {
    const body = await this.#ask(`/api/v1/${path}`, organization);
    if (!isItem(body)) throw new StartError(`${path} answers with no JSON object.`);
    return body;
  }

  /** Returns the number of objects in a list. @throws StartError */
  async count(path: string): Promise<number> {
    return (await this.#page(path, '', { limit: 1, offset: 0 })).count;
  }

  /** Reads a list in pages. @throws StartError, also if the list changes between two pages */
  async list(path: string, organization = ''): Promise<Item[]> {
    const items: Item[] = [];
    const seen = new Set<unknown>();
    for (;;) {
      const { count, results } = await this.#page(path, organization, {
        limit: PAGE,
        offset: items.length,
      });
      for (const item of results) {
        if (item.id !== undefined && seen.has(item.id)) throw changed(path);
        seen.add(item.id);
        items.push(item);
      }
      this.#rows += results.length;
      if (this.#rows > MOST_ROWS)
        throw new StartError(`The source has more than ${MOST_ROWS} rows.`);
      const isWhole = items.length === count;
      // A later page would count the rows again.
      if (items.length > count || (results.length === 0 && !isWhole)) throw changed(path);
      if (isWhole) return items;
    }
  }

  async #page(
    path: string,
    organization: string,
    { limit, offset }: { readonly limit: number; readonly offset: number },
  ): Promise<{ readonly count: number; readonly results: readonly Item[] }> {
    const body = await this.#ask(`/api/v1/${path}?limit=${limit}&offset=${offset}`, organization);
    const { count, results } = isItem(body) ? body : {};
    if (!Number.isInteger(count) || !Array.isArray(results) || !results.every(isItem))
      throw new StartError(`${path} answers with no page of objects: is this JumpServer?`);
    const key = `${organization} ${path}`;
    if (offset > 0 && this.#counts.get(key) !== count) throw changed(path);
    this.#counts.set(key, Number(count));
    return { count: Number(count), results };
  }

  async #ask(target: string, organization: string): Promise<unknown> {
    const { url, key } = this.#settings;
    this.#requests += 1;
    if (this.#requests > MOST_REQUESTS)
      throw new StartError(`The source needs more than ${MOST_REQUESTS} requests.`);
    const path = `${url.pathname.replace(/\/+$/, '')}${target}`;
    const date = new Date().toUTCString();
    const { status, text } = await this.#send(path, {
      date,
      accept: 'application/json',
      'accept-language': 'en',
      authorization: signatureOf(key, { '(request-target)': `get ${path}`, date }),
      ...(organization !== '' && { 'x-jms-org': organization }),
    });
    const [place = ''] = target.replace('/api/v1/', '').split('?');
    if (status >= 300 && status < 400)
      throw new StartError(`${url.host} redirects ${place}: name the final address with --url.`);
    if (status !== 200) throw new ApiRefusal(place, status);
    try {
      return JSON.parse(text);
    } catch {
      throw new StartError(`${place} answers with no JSON: is this JumpServer?`);
    }
  }

  async #send(
    path: string,
    headers: Readonly<Record<string, string>>,
  ): Promise<{ readonly status: number; readonly text: string }> {
    const { url } = this.#settings;
    const signal = AbortSignal.timeout(ANSWER_MS);
    const options = { path, headers, signal, agent: false };
    try {
      const answer = await new Promise<IncomingMessage>((settle, fail) => {
        const outgoing =
          url.protocol === 'https:'
            ? requestHttps(url, {
                ...options,
                ca: this.#authorities,
                rejectUnauthorized: true,
                minVersion: 'TLSv1.2',
              })
            : requestHttp(url, options);
        onUnaskedUpgrade(outgoing, fail);
        outgoing.once('error', fail).once('response', settle).end();
      });
      return { status: answer.statusCode ?? 0, text: await readText(answer) };
    } catch (error) {
      if (error instanceof StartError) throw error;
      const reason = signal.aborted ? `no answer in ${ANSWER_MS / 1_000} seconds` : String(error);
      throw new StartError(`${url.origin} cannot be read: ${reason}`);
    }
  }
}

const changed = (path: string) =>
  new StartError(`${path} changed while it was read. Run the command again in a quiet hour.`);

async function readText(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let read = 0;
  for await (const chunk of answer) {
    read += chunk.length;
    if (read > PAGE_BYTES) {
      answer.destroy();
      throw new StartError(`A page of the source has more than ${PAGE_BYTES} bytes.`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

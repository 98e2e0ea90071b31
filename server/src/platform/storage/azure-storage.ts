import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { type Agent, request as requestHttps } from 'node:https';
import { setTimeout as wait } from 'node:timers/promises';
import { refuseMetadata } from '../address-policy.ts';
import { DatingAgent } from '../certificate-dates.ts';
import { onUnaskedUpgrade } from '../unasked-upgrade.ts';
import { AzureError, errorOf, modifiedAt, sharedKey, textOf, unescaped } from './azure-answers.ts';
import { inParts, openRange, PART_BYTES } from './parts.ts';
import {
  assertKey,
  type ByteRange,
  isKey,
  type ObjectFacts,
  type OpenObject,
  type Storage,
  StorageError,
} from './storage.ts';
import {
  abortAfter,
  STORAGE_TIMEOUTS,
  type StorageTimeouts,
  withLeastRate,
} from './time-limits.ts';

/** Address of an Azure Blob Storage container, and its account. */
export interface AzureContainer {
  readonly container: string;
  readonly account: string;
  /** Base64, as the portal shows it. */
  readonly key: string;
  /** Host name suffix after `ACCOUNT.blob.`, such as `core.windows.net`. */
  readonly suffix: string;
  /**
   * `https://host:port/path` of a service with another address; the path then contains the account.
   */
  readonly endpoint?: string | undefined;
}

const VERSION = '2021-08-06';
/** Maximum silence in either direction, in milliseconds. */
const SILENT_MILLISECONDS = 30_000;
const TRIES = 3;
const PAUSE_MILLISECONDS = 200;
/** The service is overloaded: a retry may succeed. */
const PASSING = [0, 429, 500, 502, 503, 504];

interface BlobRequest {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  /** '' for the container itself. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly content?: Buffer;
}

/** Stores objects in an Azure Blob Storage container, through its REST API with the account key. */
class AzureStorage implements Storage {
  readonly #target: AzureContainer;
  readonly #timeouts: StorageTimeouts;
  readonly #base: string;
  readonly #isSecure: boolean;
  readonly #agent: Agent | HttpAgent;

  constructor(target: AzureContainer, timeouts: StorageTimeouts) {
    const { account, suffix, endpoint } = target;
    this.#target = target;
    this.#timeouts = timeouts;
    this.#base = (endpoint || `https://${account}.blob.${suffix}`).replace(/\/+$/, '');
    this.#isSecure = this.#base.startsWith('https:');
    this.#agent = this.#isSecure
      ? new DatingAgent({ keepAlive: true })
      : new HttpAgent({ keepAlive: true });
  }

  async put(key: string, content: AsyncIterable<Uint8Array>): Promise<void> {
    assertKey(key);
    try {
      const parts = inParts(content);
      const first = (await parts.next()).value ?? Buffer.alloc(0);
      if (first.length < PART_BYTES)
        await this.#done({
          method: 'PUT',
          key,
          headers: { 'x-ms-blob-type': 'BlockBlob' },
          content: first,
        });
      else await this.#putBlocks(key, first, parts);
    } catch (error) {
      throw error instanceof StorageError
        ? error
        : new StorageError('unavailable', String(error), error);
    }
  }

  async open(key: string, range?: ByteRange): Promise<OpenObject> {
    assertKey(key);
    return openRange({
      key,
      range,
      stat: (one) => this.stat(one),
      read: (header) => this.#openRange(key, header),
    });
  }

  async stat(key: string): Promise<ObjectFacts | undefined> {
    assertKey(key);
    try {
      const answer = await this.#read({ method: 'HEAD', key });
      answer.resume();
      return {
        size: Number(answer.headers['content-length'] ?? 0),
        modifiedAt: modifiedAt(answer),
      };
    } catch (error) {
      if (error instanceof StorageError && error.code === 'missing') return undefined;
      throw error;
    }
  }

  async delete(key: string): Promise<void> {
    assertKey(key);
    await this.#done({ method: 'DELETE', key }).catch((error: unknown) => {
      if (!(error instanceof StorageError && error.code === 'missing')) throw error;
    });
  }

  async *list(folder?: string): AsyncGenerator<string> {
    for (let marker = ''; ; ) {
      const page = await this.#done({
        method: 'GET',
        query: {
          restype: 'container',
          comp: 'list',
          ...(folder && { prefix: `${folder}/` }),
          ...(marker && { marker }),
        },
      });
      // Our object names need no XML escapes; other names are skipped.
      for (const [, name = ''] of page.matchAll(/<Name>([^<]*)<\/Name>/g))
        if (isKey(name)) yield name;
      marker = unescaped(/<NextMarker>([^<]+)<\/NextMarker>/.exec(page)?.[1] ?? '');
      if (marker === '') return;
    }
  }

  /** Other servers may be uploading now, and the service itself deletes unused blocks. */
  async removeRemains(): Promise<void> {}

  async isWritable(): Promise<boolean> {
    return this.#done({ method: 'HEAD', query: { restype: 'container' } }).then(
      () => true,
      () => false,
    );
  }

  close(): void {
    this.#agent.destroy();
  }

  async #openRange(key: string, range: string | undefined): Promise<OpenObject> {
    const answer = await this.#read({
      method: 'GET',
      key,
      ...(range && { headers: { 'x-ms-range': range } }),
    });
    const size = Number(
      /\/(\d+)$/.exec(answer.headers['content-range'] ?? '')?.[1] ??
        answer.headers['content-length'] ??
        0,
    );
    answer.setTimeout(SILENT_MILLISECONDS, () =>
      answer.destroy(new StorageError('unavailable', 'the answer stopped')),
    );
    const stream = withLeastRate(answer, this.#timeouts.content);
    return { size, modifiedAt: modifiedAt(answer), stream };
  }

  /**
   * Uploads blocks and then their list, which makes them an object. The service deletes blocks
   * without a list after a week.
   */
  async #putBlocks(key: string, first: Buffer, rest: AsyncIterator<Buffer>): Promise<void> {
    const ids: string[] = [];
    for (let part: Buffer | undefined = first; part !== undefined; ) {
      const id = Buffer.from(String(ids.length).padStart(8, '0')).toString('base64');
      await this.#done({
        method: 'PUT',
        key,
        query: { comp: 'block', blockid: id },
        content: part,
      });
      ids.push(id);
      const next: IteratorResult<Buffer> = await rest.next();
      part = next.done ? undefined : next.value;
    }
    const list = `<?xml version="1.0" encoding="utf-8"?><BlockList>${ids.map((id) => `<Latest>${id}</Latest>`).join('')}</BlockList>`;
    await this.#done({
      method: 'PUT',
      key,
      query: { comp: 'blocklist' },
      headers: { 'content-type': 'application/xml' },
      content: Buffer.from(list),
    });
  }

  async #done(blobRequest: BlobRequest): Promise<string> {
    return abortAfter(this.#timeouts.whole, async (signal) =>
      textOf(await this.#send(blobRequest, signal)),
    );
  }

  async #read(blobRequest: BlobRequest): Promise<IncomingMessage> {
    return abortAfter(this.#timeouts.read, (signal) => this.#send(blobRequest, signal));
  }

  /**
   * Sends a request with retries and returns a successful response, which the caller reads. The
   * content is in memory, so a retry can send it again.
   */
  async #send(blobRequest: BlobRequest, signal: AbortSignal): Promise<IncomingMessage> {
    for (let attempt = 1; ; attempt++) {
      try {
        await refuseMetadata(new URL(this.#base).hostname).catch((error: Error) => {
          throw new AzureError('unavailable', 0, error.message, error);
        });
        const answer = await this.#once(blobRequest, signal);
        if ((answer.statusCode ?? 0) < 400) return answer;
        throw errorOf(answer, await textOf(answer));
      } catch (error) {
        const isFinal = !(error instanceof AzureError) || !PASSING.includes(error.status);
        if (isFinal || attempt >= TRIES || signal.aborted) throw error;
      }
      await wait(PAUSE_MILLISECONDS * attempt);
    }
  }

  /** Sends one request; the caller reads the response. */
  #once(
    { method, key = '', query = {}, headers = {}, content }: BlobRequest,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const { container, account, key: accountKey } = this.#target;
    return new Promise((settle, fail) => {
      const url = new URL(`${this.#base}/${container}${key && `/${key}`}`);
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
      const sent: Record<string, string> = {
        ...headers,
        'x-ms-date': new Date().toUTCString(),
        'x-ms-version': VERSION,
      };
      if (method === 'PUT') sent['content-length'] = String(content?.length ?? 0);
      const authorization = sharedKey({ method, url, headers: sent }, account, accountKey);
      const ask = this.#isSecure ? requestHttps : requestHttp;
      const request = ask(url, {
        method,
        agent: this.#agent,
        timeout: SILENT_MILLISECONDS,
        signal,
        headers: { ...sent, authorization },
      });
      const broken = (error: NodeJS.ErrnoException) =>
        fail(new AzureError('unavailable', 0, error.message || error.code || 'no answer', error));
      request.on('timeout', () => request.destroy(new Error('no answer')));
      request.on('error', broken);
      onUnaskedUpgrade(request, broken);
      request.on('response', settle);
      request.end(content);
    });
  }
}

/** Opens a container. Connects on first use. */
export const createAzureStorage = (
  container: AzureContainer,
  timeouts = STORAGE_TIMEOUTS,
): Storage & { close(): void } => new AzureStorage(container, timeouts);

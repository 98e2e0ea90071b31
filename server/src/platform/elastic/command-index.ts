import { type ElasticClient, ElasticError } from './client.ts';

/** A command in an index. Member names follow existing tools. */
export interface CommandDocument {
  readonly id: string;
  readonly org_id: string;
  readonly session: string;
  readonly sequence: number;
  readonly user: string;
  readonly asset: string;
  readonly system_user: string;
  readonly input: string;
  readonly output: string;
  readonly risk_level: number;
  readonly is_denied: boolean;
  /** Seconds since 1970. */
  readonly timestamp: number;
  /** ISO 8601. */
  readonly date: string;
  /** The command in lower case, as in the database. */
  readonly search_text: string;
}

export type CommandTexts = Pick<CommandDocument, 'input' | 'output'>;

/** Conditions of a search; all must match. */
export interface CommandSearch {
  readonly organization: string;
  /** Parts of the command, in lower case. */
  readonly parts: readonly string[];
  readonly session?: string | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

/** Commands in one index. All methods throw ElasticError. */
export interface CommandIndex {
  /** Checks the version of the server, and creates the index or adds missing fields. */
  prepare(): Promise<void>;
  /**
   * Stores documents under their ids, idempotently. Returns the confirmed ids and the reason for
   * the others.
   */
  keep(
    documents: readonly CommandDocument[],
  ): Promise<{ readonly kept: string[]; readonly problem: string }>;
  /** Returns texts of commands by id, without unknown ids. */
  texts(ids: readonly string[]): Promise<ReadonlyMap<string, CommandTexts>>;
  /** Returns ids of the newest matching commands, at most `limit` (maximum 10,000). */
  search(search: CommandSearch, limit: number): Promise<string[]>;
  removeSessions(sessions: readonly string[]): Promise<void>;
  /** Writes, reads and deletes a test document. */
  tryOut(): Promise<void>;
}

/** First major version without mapping types. */
const OLDEST_MAJOR = 7;
/** Default maximum result size of an index. */
export const SEARCH_MAX = 10_000;
const keyword = { type: 'keyword' };
const FIELDS = {
  id: keyword,
  org_id: keyword,
  session: keyword,
  sequence: { type: 'integer' },
  user: keyword,
  asset: keyword,
  system_user: keyword,
  input: { type: 'text' },
  output: { type: 'text', index: false },
  risk_level: { type: 'integer' },
  is_denied: { type: 'boolean' },
  timestamp: { type: 'long' },
  date: { type: 'date' },
  // A single term of at most 4,096 characters, so that searches match substrings as in the
  // database.
  search_text: keyword,
};

interface Shards {
  readonly timed_out?: boolean;
  readonly _shards?: { readonly failed?: number };
}

class ElasticCommandIndex implements CommandIndex {
  readonly #client: ElasticClient;
  readonly #path: string;

  constructor(client: ElasticClient, index: string) {
    this.#client = client;
    this.#path = `/${encodeURIComponent(index)}`;
  }

  async prepare(): Promise<void> {
    const { version } = ((await this.#client.send('GET', '/')).body ?? {}) as {
      readonly version?: { readonly number?: string; readonly distribution?: string };
    };
    const [number = '', distribution] = [version?.number, version?.distribution];
    if (!number) throw new ElasticError(0, 'this is neither Elasticsearch nor OpenSearch');
    if (distribution !== 'opensearch' && Number.parseInt(number, 10) < OLDEST_MAJOR)
      throw new ElasticError(0, `Elasticsearch ${number} is too old: 7 or later is needed`);
    if (
      (await this.#client.send('HEAD', this.#path, undefined, { accepts: [404] })).status === 404
    ) {
      // Another server may have created the index at the same time.
      const created = await this.#client.send(
        'PUT',
        this.#path,
        { mappings: { dynamic: false, properties: FIELDS } },
        { accepts: [400] },
      );
      if (created.status === 200) return;
    }
    await this.#client.send('PUT', `${this.#path}/_mapping`, { properties: FIELDS });
  }

  async texts(ids: readonly string[]): Promise<ReadonlyMap<string, CommandTexts>> {
    const { docs = [] } = (
      await this.#client.send('POST', `${this.#path}/_mget?_source_includes=input,output`, { ids })
    ).body as {
      readonly docs?: readonly {
        readonly _id: string;
        readonly found?: boolean;
        readonly error?: { readonly reason?: string };
        readonly _source?: CommandTexts;
      }[];
    };
    const failed = docs.find(({ error }) => error);
    if (failed) throw new ElasticError(0, failed.error?.reason ?? 'a document could not be read');
    return new Map(
      docs.flatMap(({ _id, found, _source }) =>
        found && _source ? [[_id, _source] as const] : [],
      ),
    );
  }

  async keep(
    documents: readonly CommandDocument[],
  ): Promise<{ readonly kept: string[]; readonly problem: string }> {
    const lines = documents
      .map(
        (document) =>
          `${JSON.stringify({ index: { _id: document.id } })}\n${JSON.stringify(document)}\n`,
      )
      .join('');
    const { items = [] } = (
      await this.#client.send('POST', `${this.#path}/_bulk?refresh=true`, lines, { lines: true })
    ).body as {
      readonly items?: readonly {
        readonly index?: {
          readonly _id: string;
          readonly status: number;
          readonly error?: { readonly type?: string };
        };
      }[];
    };
    const answers = items.flatMap(({ index: item }) => item ?? []);
    const refused = answers.find(({ status }) => status >= 300);
    return {
      kept: answers.filter(({ status }) => status < 300).map(({ _id }) => _id),
      problem: refused
        ? `${answers.filter(({ status }) => status >= 300).length} commands were not taken: ${refused.status} ${refused.error?.type ?? ''}`
        : '',
    };
  }

  async search(
    { organization, parts, session, from, to }: CommandSearch,
    limit: number,
  ): Promise<string[]> {
    const range = {
      ...(from && { gte: from.toISOString() }),
      ...(to && { lte: to.toISOString() }),
    };
    const filter = [
      { term: { org_id: organization } },
      ...(session === undefined ? [] : [{ term: { session } }]),
      ...(from || to ? [{ range: { date: range } }] : []),
      ...parts.map((part) => ({
        wildcard: { search_text: { value: `*${part.replace(/[\\*?]/g, '\\$&')}*` } },
      })),
    ];
    const query = {
      size: Math.min(limit, SEARCH_MAX),
      _source: false,
      track_total_hits: false,
      sort: [{ date: 'desc' }],
      query: { bool: { filter } },
    };
    const answer = (await this.#client.send('POST', `${this.#path}/_search`, query))
      .body as Shards & {
      readonly hits?: { readonly hits?: readonly { readonly _id: string }[] };
    };
    // A partial result would look complete.
    if (answer.timed_out || (answer._shards?.failed ?? 0) > 0)
      throw new ElasticError(0, 'not every part of the index answered');
    return (answer.hits?.hits ?? []).map(({ _id }) => _id);
  }

  async removeSessions(sessions: readonly string[]): Promise<void> {
    // The deletion finds only refreshed documents.
    await this.#client.send('POST', `${this.#path}/_refresh`);
    const { body } = await this.#client.send(
      'POST',
      `${this.#path}/_delete_by_query?conflicts=proceed&refresh=true`,
      { query: { terms: { session: sessions } } },
    );
    const {
      timed_out: isLate,
      version_conflicts: conflicts = 0,
      failures = [],
    } = body as Shards & { version_conflicts?: number; failures?: readonly unknown[] };
    if (isLate || conflicts > 0 || failures.length > 0)
      throw new ElasticError(0, 'not all commands of removed sessions were deleted');
  }

  async tryOut(): Promise<void> {
    await this.prepare();
    const id = `test-${crypto.randomUUID()}`;
    const empty = {
      org_id: '',
      session: '',
      user: '',
      asset: '',
      system_user: '',
      output: '',
      search_text: '',
      sequence: 0,
      risk_level: 0,
      is_denied: false,
    };
    const { problem } = await this.keep([
      { ...empty, id, input: id, timestamp: 0, date: new Date(0).toISOString() },
    ]);
    if (problem) throw new ElasticError(0, problem);
    const back = (await this.texts([id])).get(id);
    await this.#client.send('DELETE', `${this.#path}/_doc/${id}?refresh=true`);
    if (back?.input !== id)
      throw new ElasticError(0, 'the index does not give back what it was given');
  }
}

/** Opens an index, which need not exist. */
export const createCommandIndex = (client: ElasticClient, index: string): CommandIndex =>
  new ElasticCommandIndex(client, index);

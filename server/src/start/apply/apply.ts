import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { escapeMisleading } from '@sallyport/contract';
import { type Config, StartError } from '../../config.ts';
import type { Applied, FileObject } from '../../features/apply/index.ts';
import { parseAccessKey, signatureOf } from '../access-key.ts';
import { countsOf, hasChanges, inLines } from './print.ts';
import { kindOfSection, readWantedFile, type WantedFile, writeWantedFile } from './wanted-file.ts';

const PATH = '/api/v1/common/resources/apply/';

/** A running server, and the access key to speak to it with. */
export interface ServerOptions {
  /** A file with `ID:SECRET` of an access key. */
  readonly key: string | undefined;
  /** Address of a server; default: the one on this machine. */
  readonly server: string | undefined;
  /** Id of an organization; default: the one of the key's owner. */
  readonly organization: string | undefined;
}

export interface ApplyOptions extends ServerOptions {
  /** A YAML file. */
  readonly file: string | undefined;
  readonly isApplied: boolean;
  /** Says the result as one JSON object instead of lines. */
  readonly isJson: boolean;
  readonly say: (line: string) => void;
}

async function read(path: string, what: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new StartError(
      `The ${what} ${resolve(path)} cannot be read: ${(error as Error).message}`,
    );
  }
}

/** Signs a request with an access key: its path, its date and its body. */
function signedHeaders(key: string, target: string, body = ''): Record<string, string> {
  const date = new Date().toUTCString();
  const digest = `SHA-256=${createHash('sha256').update(body).digest('base64')}`;
  // The server accepts each signature once, and two runs in one second are possible.
  const request = crypto.randomUUID();
  return {
    date,
    digest,
    'x-request-id': request,
    authorization: signatureOf(parseAccessKey(key), {
      '(request-target)': target,
      date,
      digest,
      'x-request-id': request,
    }),
  };
}

/** The answer of a server: its status, and its JSON or the beginning of its text. */
interface Answer {
  readonly isOk: boolean;
  readonly status: number;
  readonly content: unknown;
}

/** Sends a body, or requests without one, with the rights of an access key. @throws StartError */
async function request(
  config: Config,
  { key, server = `http://127.0.0.1:${config.httpPort}`, organization }: ServerOptions,
  path: string,
  body?: string,
): Promise<Answer> {
  if (key === undefined) throw new StartError('Name the file with the access key: --key=FILE');
  if (!URL.canParse(server))
    throw new StartError(`${server} is not an address like https://bastion.example.com`);
  const method = body === undefined ? 'get' : 'post';
  const response = await fetch(new URL(path, server), {
    method,
    ...(body !== undefined && { body }),
    headers: {
      'content-type': 'application/json',
      'accept-language': 'en',
      ...(organization !== undefined && { 'x-jms-org': organization }),
      ...signedHeaders(await read(key, 'key file'), `${method} ${path}`, body),
    },
  }).catch((error: Error) => {
    const cause = error.cause instanceof Error ? error.cause.message : error.message;
    throw new StartError(`${server} does not answer: ${cause}`);
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json');
  const content: unknown = isJson ? JSON.parse(text) : text.slice(0, 200);
  return { isOk: response.ok, status: response.status, content };
}

/** A problem of a file; `line` and `field` as far as one is to blame. */
interface FileProblem {
  readonly file: string;
  readonly line?: number;
  readonly kind?: string;
  readonly field?: string;
  readonly reason: string;
}

/** Returns the problems of a rejected file. */
function problemsOf(path: string, { objects, lineOf }: WantedFile, answer: Answer): FileProblem[] {
  const { status, content } = answer;
  if (!Array.isArray(content)) return [{ file: path, reason: `${status}: ${reasonOf(content)}` }];
  return content.flatMap((fields: Readonly<Record<string, readonly string[]>>, index) =>
    Object.entries(fields).map(([field, reasons]) => ({
      ...{ file: path, line: lineOf(index, field), kind: objects[index]?.kind ?? '' },
      ...(field !== 'non_field_errors' && { field }),
      reason: [reasons].flat().join(' '),
    })),
  );
}

function reasonOf(content: unknown): string {
  const { detail } = content as { readonly detail?: unknown };
  return typeof detail === 'string' ? detail : JSON.stringify(content);
}

const problemLine = ({ file, line, kind, field, reason }: FileProblem) =>
  line === undefined
    ? reason
    : `${file}:${line}: ${[kind, field].filter(Boolean).join('.')}: ${reason}`;

/**
 * Compares a file of wanted objects with a running server, and applies it if told to. Acts with the
 * rights of an access key. Returns the exit status: 0 for no difference or success, 2 for
 * differences that were not applied, 1 for problems.
 *
 * @throws StartError
 */
export async function applyFile(config: Config, options: ApplyOptions): Promise<number> {
  const { file, isApplied, isJson, say } = options;
  if (file === undefined || options.key === undefined)
    throw new StartError('Name the file and the access key: apply -f FILE --key=FILE');
  const content = readWantedFile(file, await read(file, 'file'));
  const body = JSON.stringify({ apply: isApplied, objects: content.objects });
  const answer = await request(config, options, PATH, body);
  if (!answer.isOk) {
    const problems = problemsOf(file, content, answer);
    if (isJson) say(escapeMisleading(JSON.stringify({ applied: false, problems }, undefined, 2)));
    else for (const line of [...problems.map(problemLine), 'Nothing was changed.']) say(line);
    return 1;
  }
  const result = answer.content as Applied;
  if (isJson)
    say(escapeMisleading(JSON.stringify({ ...result, counts: countsOf(result) }, undefined, 2)));
  else for (const line of inLines(result)) say(line);
  return !isApplied && hasChanges(result) ? 2 : 0;
}

/**
 * Prints the present objects of a running server as a file for `applyFile`, of some sections or of
 * all. Returns the exit status.
 *
 * @throws StartError
 */
export async function exportFile(
  config: Config,
  options: ServerOptions & { readonly say: (text: string) => void },
  sections: readonly string[],
): Promise<number> {
  const path = `${PATH}?kind=${sections.map(kindOfSection).join(',')}`;
  const { isOk, status, content } = await request(config, options, path);
  if (!isOk) throw new StartError(`${status}: ${reasonOf(content)}`);
  const { objects } = content as { readonly objects: readonly FileObject[] };
  options.say(writeWantedFile(objects));
  return 0;
}

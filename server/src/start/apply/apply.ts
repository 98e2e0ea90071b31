import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type Config, StartError } from '../../config.ts';
import type { Applied } from '../../features/apply/index.ts';
import { parseAccessKey, signatureOf } from '../access-key.ts';
import { hasChanges, inLines } from './print.ts';
import { readWantedFile, type WantedFile } from './read-file.ts';

const PATH = '/api/v1/common/resources/apply/';

export interface ApplyOptions {
  /** A YAML file. */
  readonly file: string | undefined;
  /** A file with `ID:SECRET` of an access key. */
  readonly key: string | undefined;
  /** Address of a server; default: the one on this machine. */
  readonly server: string | undefined;
  /** Id of an organization; default: the one of the key's owner. */
  readonly organization: string | undefined;
  readonly isApplied: boolean;
  readonly say: (line: string) => void;
}

async function read(path: string, what: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new StartError(`The ${what} ${path} cannot be read: ${(error as Error).message}`);
  }
}

/** Signs a request with an access key: its path, its date and its body. */
function signedHeaders(key: string, body: string): Record<string, string> {
  const date = new Date().toUTCString();
  const digest = `SHA-256=${createHash('sha256').update(body).digest('base64')}`;
  // The server accepts each signature once, and two runs in one second are possible.
  const request = crypto.randomUUID();
  return {
    date,
    digest,
    'x-request-id': request,
    authorization: signatureOf(parseAccessKey(key), {
      '(request-target)': `post ${PATH}`,
      date,
      digest,
      'x-request-id': request,
    }),
  };
}

/** Describes the problems of a rejected file, one line each: file, line, field and reason. */
function problemLines(path: string, { objects, lineOf }: WantedFile, answer: unknown): string[] {
  if (!Array.isArray(answer)) return [];
  return answer.flatMap((fields: Readonly<Record<string, readonly string[]>>, index) =>
    Object.entries(fields).map(([field, reasons]) => {
      const place = `${path}:${lineOf(index, field)}: ${objects[index]?.kind}`;
      const reason = [reasons].flat().join(' ');
      return field === 'non_field_errors' ? `${place}: ${reason}` : `${place}.${field}: ${reason}`;
    }),
  );
}

/**
 * Compares a file of wanted objects with a running server, and applies it if told to. Acts with the
 * rights of an access key. Returns the exit status: 0 for no difference or success, 2 for
 * differences that were not applied, 1 for problems.
 *
 * @throws StartError
 */
export async function applyFile(config: Config, options: ApplyOptions): Promise<number> {
  const { file, key, organization, isApplied, say } = options;
  if (file === undefined || key === undefined)
    throw new StartError('Name the file and the access key: apply -f FILE --key=FILE');
  const content = readWantedFile(file, await read(file, 'file'));
  const body = JSON.stringify({ apply: isApplied, objects: content.objects });
  const server = options.server ?? `http://127.0.0.1:${config.httpPort}`;
  if (!URL.canParse(server))
    throw new StartError(`${server} is not an address like https://bastion.example.com`);
  const response = await fetch(new URL(PATH, server), {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'accept-language': 'en',
      ...(organization !== undefined && { 'x-jms-org': organization }),
      ...signedHeaders(await read(key, 'key file'), body),
    },
  }).catch((error: Error) => {
    const cause = error.cause instanceof Error ? error.cause.message : error.message;
    throw new StartError(`${server} does not answer: ${cause}`);
  });
  const text = await response.text();
  const answer: unknown = response.headers.get('content-type')?.includes('json')
    ? JSON.parse(text)
    : text.slice(0, 200);
  if (!response.ok) {
    const problems = problemLines(file, content, answer);
    for (const line of problems) say(line);
    const { detail } = answer as { readonly detail?: unknown };
    const reason = typeof detail === 'string' ? detail : JSON.stringify(answer);
    if (problems.length === 0) say(`${response.status}: ${reason}`);
    say('Nothing was changed.');
    return 1;
  }
  const result = answer as Applied;
  for (const line of inLines(result)) say(line);
  return !isApplied && hasChanges(result) ? 2 : 0;
}

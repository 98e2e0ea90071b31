import { parse } from 'yaml';
import { StartError } from '../../../config.ts';
import { readNamed } from '../read-named.ts';

/** Access to the database of JumpServer, as its own configuration file says. */
export interface SourceSettings {
  readonly engine: 'mysql' | 'postgresql';
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  /** PEM certificates that TLS verifies the server with; undefined: no TLS. */
  readonly authority: string | undefined;
  readonly secretKey: string;
}

const ENGINES: Readonly<Record<string, SourceSettings['engine']>> = {
  mysql: 'mysql',
  mariadb: 'mysql',
  postgresql: 'postgresql',
  postgres: 'postgresql',
};
const PORTS = { mysql: 3306, postgresql: 5432 };

/** Reads `NAME=value` lines, or YAML. */
function readValues(path: string, text: string): Readonly<Record<string, unknown>> {
  const lines = text.split(/\r?\n/).filter((line) => /^\s*[^#\s]/.test(line));
  if (lines.every((line) => /^\s*(export\s+)?\w+=/.test(line)))
    return Object.fromEntries(
      lines.map((line) => {
        const [, name = '', value = ''] = /^\s*(?:export\s+)?(\w+)=(.*)$/.exec(line) ?? [];
        return [name, value.trim().replace(/^(["'])(.*)\1$/, '$2')];
      }),
    );
  try {
    const values: unknown = parse(text, { maxAliasCount: 0 });
    if (typeof values === 'object' && values !== null) return values as Record<string, unknown>;
  } catch {
    // The parser's message would repeat a line, which may contain the password.
  }
  throw new StartError(`${path} is neither lines of NAME=value nor YAML.`);
}

/**
 * Reads `config.txt` or `config.yml` of JumpServer: `DB_ENGINE`, `DB_HOST`, `DB_PORT`, `DB_USER`,
 * `DB_PASSWORD`, `DB_NAME`, `SECRET_KEY`, and `DB_SSL_CA` for TLS. @throws StartError that names
 * file and field
 */
export async function readSourceSettings(path: string): Promise<SourceSettings> {
  const values = readValues(path, await readNamed(path));
  const text = (name: string, fallback?: string) => {
    const value = values[name] ?? fallback;
    if (typeof value !== 'string' && typeof value !== 'number')
      throw new StartError(`${path}: ${name} is missing.`);
    return String(value);
  };
  const engine = ENGINES[text('DB_ENGINE', 'mysql').toLowerCase()];
  if (!engine) throw new StartError(`${path}: DB_ENGINE must be mysql or postgresql.`);
  const port = Number(text('DB_PORT', String(PORTS[engine])));
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new StartError(`${path}: DB_PORT must be a port.`);
  const authority = text('DB_SSL_CA', '');
  return {
    engine,
    port,
    host: text('DB_HOST'),
    user: text('DB_USER'),
    password: text('DB_PASSWORD', ''),
    database: text('DB_NAME', 'jumpserver'),
    authority: authority === '' ? undefined : await readNamed(authority),
    secretKey: text('SECRET_KEY'),
  };
}

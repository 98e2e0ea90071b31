import { hostname } from 'node:os';
import type { Config } from '../../config.ts';

/**
 * What this server is called in rows that it holds: the same after a restart, another one for each
 * server.
 */
export function holderOf({ dataDirectory }: Pick<Config, 'dataDirectory'>): string {
  return `${hostname()}:${dataDirectory}`;
}

import { hostname } from 'node:os';
import type { Config } from '../../config.ts';

/** The unique id of this server in its rows. Stable across restarts. */
export function holderOf({ dataDirectory }: Pick<Config, 'dataDirectory'>): string {
  return `${hostname()}:${dataDirectory}`;
}

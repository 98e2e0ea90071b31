import { linux } from './linux.ts';
import { mysql } from './mysql.ts';
import { networkDevices } from './network-devices.ts';
import { postgresql } from './postgresql.ts';
import { redis } from './redis.ts';

export type { LibraryGroup, LibraryRule } from './library-rule.ts';

/** Rules against dangerous commands, as a start for command filters. None applies until copied. */
export const COMMAND_LIBRARY = [linux, networkDevices, postgresql, mysql, redis] as const;

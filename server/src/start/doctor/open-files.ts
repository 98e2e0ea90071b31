import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openFilesLimit } from '../../platform/descriptors.ts';
import { type DoctorContext, type Finding, fine, warning } from './finding.ts';

/** Descriptors of an idle server: listeners, database connections, program files. */
const IDLE_FILES = 64;
/** A terminal has two sockets, a recording, and at times another file. */
const FILES_PER_SESSION = 4;
const FEW_SESSIONS = 200;

/** Reports how many sessions the limit of open files allows; nothing without /proc. */
export function examineOpenFiles({ config, isRunning }: DoctorContext): Finding[] {
  const limit = openFilesLimit(isRunning ? processIn(config.dataDirectory) : 'self');
  if (limit === undefined) return [];
  const sessions = Math.max(0, Math.floor((limit - IDLE_FILES) / FILES_PER_SESSION));
  const text = `${isRunning ? 'The server' : 'This account'} may open ${limit} files, enough for about ${sessions} sessions`;
  const fix = 'Raise the limit: LimitNOFILE=65536 in the systemd unit, or ulimit -n 65536';
  return [sessions < FEW_SESSIONS ? warning('open-files', text, fix) : fine('open-files', text)];
}

function processIn(folder: string): string {
  return readFileSync(join(folder, 'sallyport.lock'), 'utf8').trim().split(' ')[0] ?? 'self';
}

/**
 * Says what an upgrade waits for while too many earlier versions have sessions. `ends` are the
 * times at which the server ends them.
 */
export function earlierVersionsInUse(ends: readonly (Date | undefined)[]): string {
  const times = ends.map((time) => time?.toISOString().slice(0, 16).replace('T', ' '));
  return [
    `${ends.length} earlier versions still have sessions. Each runs until its last session ends; at the latest the server ends them at ${times.join(' and ')} UTC.`,
    'A web terminal whose browser closed stays for some minutes, so that its user can return: Settings, Security, Keep disconnected web terminals.',
    'Upgrade again then, or end the sessions under Sessions.',
  ].join('\n');
}

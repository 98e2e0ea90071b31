/** How a batch command goes over its hosts. */
export interface Waves {
  /** The hosts in groups: each begins when the one before is over. */
  readonly groups: readonly (readonly string[])[];
  /** Whether further hosts may begin after so many have finished and failed. */
  goesOn(finished: number, failed: number): boolean;
}

/**
 * All at once, or step by step: one host, then 10 % of all, then the others. Step by step, no
 * further host begins when more than `failureLimit` percent have failed: of the hosts up to the end
 * of the step in the first two, of those that have finished in the last.
 */
export function wavesOf(hosts: readonly string[], isCanary: boolean, failureLimit: number): Waves {
  if (!isCanary) return { groups: [hosts], goesOn: () => true };
  const second = 1 + Math.ceil(hosts.length / 10);
  return {
    groups: [hosts.slice(0, 1), hosts.slice(1, second), hosts.slice(second)].filter(
      ({ length }) => length > 0,
    ),
    goesOn: (finished, failed) =>
      (failed / (finished <= 1 ? 1 : Math.max(finished, Math.min(second, hosts.length)))) * 100 <=
      failureLimit,
  };
}

import { stageSizes } from '@sallyport/contract';

/** The order in which a batch command runs on hosts. */
export interface Waves {
  /** Groups of hosts. Each starts when the previous one has finished. */
  readonly groups: readonly (readonly string[])[];
  /** Returns true if further hosts may start after these numbers of finished and failed hosts. */
  canContinue(finished: number, failed: number): boolean;
}

/**
 * Plans all hosts at once, or a canary rollout: one host, then 10 % of all, then the others. A
 * rollout stops when more than `failureLimit` percent have failed. The base is the hosts up to the
 * end of the step for the first two steps, then the finished hosts.
 */
export function wavesOf(hosts: readonly string[], isCanary: boolean, failureLimit: number): Waves {
  if (!isCanary) return { groups: [hosts], canContinue: () => true };
  const second = 1 + Math.ceil(hosts.length / 10);
  const rest = [...hosts];
  return {
    groups: stageSizes(hosts.length).map((size) => rest.splice(0, size)),
    canContinue: (finished, failed) =>
      (failed / (finished <= 1 ? 1 : Math.max(finished, Math.min(second, hosts.length)))) * 100 <=
      failureLimit,
  };
}

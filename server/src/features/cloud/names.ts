import type { Instance } from '../../platform/cloud/cloud.ts';

/** Naming scheme of assets. */
export type HostnameStrategy = 'instance_name_partial_ip' | 'instance_name';

/** Maximum characters of the instance name within a hostname. An address or id follows. */
const NAME_MAX = 80;

/** The address of an instance, private before public. Empty without an address. */
export const addressOf = ({ privateIp, publicIp }: Instance): string => privateIp || publicIp;

/** The last two parts of an address. */
function partOf(ip: string): string {
  const sign = ip.includes(':') ? ':' : '.';
  return ip.split(sign).slice(-2).join(sign);
}

/**
 * Candidates for the hostname of an asset, preferred one first. The last one contains the unique
 * instance id.
 */
export function hostnamesOf(instance: Instance, strategy: HostnameStrategy): readonly string[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern removes control characters
  const plain = instance.name.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').trim();
  const name = plain.slice(0, NAME_MAX).trim() || instance.id.slice(0, NAME_MAX);
  const ip = addressOf(instance);
  const all = [
    ...(strategy === 'instance_name' ? [name] : []),
    ...(ip ? [`${name}-${partOf(ip)}`, `${name}-${ip}`] : []),
    `${name}-${instance.id}`,
  ];
  return [...new Set(all)].map((one) => one.slice(0, 128));
}

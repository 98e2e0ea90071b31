import type { Instance } from '../../platform/cloud/cloud.ts';

/** How the assets of instances are named. */
export type HostnameStrategy = 'instance_name_partial_ip' | 'instance_name';

/** Characters of a hostname that the name of an instance takes; an address or an id follows it. */
const NAME_MAX = 80;

/** The address by which an instance is reached: inside first. Empty for one that has none. */
export const addressOf = ({ privateIp, publicIp }: Instance): string => privateIp || publicIp;

/** The last two parts of an address. */
function partOf(ip: string): string {
  const sign = ip.includes(':') ? ':' : '.';
  return ip.split(sign).slice(-2).join(sign);
}

/**
 * The hostnames that the asset of an instance may have, the wished one first; the last one has the
 * id in it, which no other instance has.
 */
export function hostnamesOf(instance: Instance, strategy: HostnameStrategy): readonly string[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
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

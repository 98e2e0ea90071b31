import type { Random } from '../random.ts';
import data from './hardware.json' with { type: 'json' };
import type { Kind } from './places.ts';

/** Hardware and system of a machine. */
export interface Hardware {
  readonly platform: string;
  readonly vendor: string;
  readonly model: string;
  readonly sn: string;
  readonly cpu_model: string;
  readonly cpu_count: number;
  readonly cpu_cores: number;
  readonly cpu_vcpus: number;
  readonly memory: string;
  readonly disk_total: string;
  readonly disk_info: Readonly<Record<string, string>>;
  readonly os: string;
  readonly os_version: string;
  readonly os_arch: string;
}

/** Returns the hardware of a random machine of a kind. */
export function hardwareOf(random: Random, kind: Kind): Hardware {
  const isVirtual = kind === 'kubernetes' || kind === 'sandbox' || kind === 'ci';
  const { vendor, model, processor } = random.pick(isVirtual ? data.cloud : data.models);
  const { platform, name: os, version } = random.pick(data.systems[kind]);
  const { sockets, cores, memory, disks } = data.sizes[kind];
  const threads = isVirtual ? 1 : 2;
  return {
    platform,
    vendor,
    model,
    sn: Array.from({ length: 10 }, () =>
      random.pick([...'0123456789ABCDEFGHJKLMNPQRSTUVWXYZ']),
    ).join(''),
    cpu_model: processor,
    cpu_count: sockets,
    cpu_cores: cores,
    cpu_vcpus: sockets * cores * threads,
    memory: `${memory}G`,
    disk_total: `${disks.reduce((sum, size) => sum + size, 0)}G`,
    disk_info: Object.fromEntries(
      disks.map((size, index) => [`${isVirtual ? 'vd' : 'sd'}${'abcd'[index]}`, `${size} GB`]),
    ),
    os,
    os_version: version,
    os_arch: processor.startsWith('Kunpeng') ? 'aarch64' : 'x86_64',
  };
}

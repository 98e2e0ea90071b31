import type { Random } from '../random.ts';
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

type Model = readonly [vendor: string, model: string, processor: string];

const MODELS: readonly Model[] = [
  ['Dell Inc.', 'PowerEdge R760', 'Intel(R) Xeon(R) Gold 6438Y+'],
  ['HPE', 'ProLiant DL380 Gen11', 'Intel(R) Xeon(R) Gold 5420+'],
  ['Inspur', 'NF5280M7', 'Intel(R) Xeon(R) Silver 4410Y'],
  ['Lenovo', 'ThinkSystem SR650 V3', 'Intel(R) Xeon(R) Gold 6426Y'],
  ['Huawei', 'TaiShan 200', 'Kunpeng-920'],
];
const CLOUD: readonly Model[] = [
  ['Alibaba Cloud', 'ecs.g8i.2xlarge', 'Intel(R) Xeon(R) Platinum 8475B'],
  ['Amazon EC2', 'm7i.2xlarge', 'Intel(R) Xeon(R) Platinum 8488C'],
  ['QEMU', 'Standard PC (Q35 + ICH9, 2009)', 'AMD EPYC 9354 32-Core Processor'],
];

const SYSTEMS: Readonly<
  Record<Kind, readonly (readonly [platform: string, name: string, version: string])[]>
> = {
  web: [
    ['Linux', 'Rocky', '9.6'],
    ['Linux', 'Rocky', '9.6'],
    ['Linux', 'Debian', '13.1'],
  ],
  app: [
    ['Linux', 'Ubuntu', '24.04'],
    ['Linux', 'Ubuntu', '22.04'],
    ['Linux', 'openEuler', '24.03'],
  ],
  database: [
    ['Linux', 'Rocky', '9.6'],
    ['Linux', 'Debian', '12.12'],
  ],
  data: [
    ['Linux', 'Rocky', '8.10'],
    ['Linux', 'openEuler', '22.03'],
  ],
  kubernetes: [['Linux', 'Ubuntu', '24.04']],
  ci: [
    ['Linux', 'Debian', '13.1'],
    ['Linux', 'Ubuntu', '24.04'],
  ],
  firewall: [['BSD', 'FreeBSD', '14.3-RELEASE']],
  windows: [
    ['Windows2016', 'Windows Server', '2022'],
    ['Windows', 'Windows Server', '2019'],
    ['Windows2016', 'Windows Server', '2025'],
  ],
  sandbox: [
    ['Linux', 'Fedora', '43'],
    ['Linux', 'Debian', '13.1'],
    ['Linux', 'Arch', 'rolling'],
  ],
};

const SIZES: Readonly<
  Record<Kind, readonly [sockets: number, cores: number, memory: number, disks: readonly number[]]>
> = {
  web: [1, 8, 32, [480]],
  app: [1, 16, 64, [480, 960]],
  database: [2, 16, 256, [480, 3840, 3840]],
  data: [2, 24, 384, [480, 16_000, 16_000, 16_000]],
  kubernetes: [1, 16, 64, [200]],
  ci: [1, 16, 64, [1000]],
  firewall: [1, 4, 16, [240]],
  windows: [1, 8, 32, [480, 2000]],
  sandbox: [1, 4, 16, [100]],
};

/** Returns the hardware of a random machine of a kind. */
export function hardwareOf(random: Random, kind: Kind): Hardware {
  const isVirtual = kind === 'kubernetes' || kind === 'sandbox' || kind === 'ci';
  const [vendor, model, processor] = random.pick(isVirtual ? CLOUD : MODELS);
  const [platform, os, version] = random.pick(SYSTEMS[kind]);
  const [sockets, cores, memory, disks] = SIZES[kind];
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

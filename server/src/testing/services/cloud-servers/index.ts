import { startAliyunServer } from './aliyun-server.ts';
import { startAwsServer } from './aws-server.ts';
import type { CloudServer, Machine } from './cloud-server.ts';
import { startHuaweiServer } from './huawei-server.ts';
import { startTencentServer } from './tencent-server.ts';

/** Test servers by provider name. */
export const CLOUD_SERVERS: Readonly<Record<string, () => Promise<CloudServer>>> = {
  aliyun: startAliyunServer,
  qcloud: startTencentServer,
  huaweicloud: startHuaweiServer,
  aws_international: () => startAwsServer(),
  aws_china: () => startAwsServer('aws_china'),
};

/** Builds machines with unique names, addresses and ids; use another network per call. */
export function buildMachines(count: number, network: number): Machine[] {
  return Array.from({ length: count }, (_, at) => ({
    id: `i-${network}-${String(at).padStart(5, '0')}`,
    name: `web ${network}-${at}`,
    privateIp: `10.${network}.${Math.floor(at / 250)}.${(at % 250) + 1}`,
    publicIp: at % 2 === 0 ? `198.51.${network}.${(at % 250) + 1}` : '',
    isWindows: at % 5 === 4,
  }));
}

export type { CloudServer, Machine } from './cloud-server.ts';

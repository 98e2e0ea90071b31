import type { Script } from './script.ts';
import { deploy } from './scripts/deploy.ts';
import { diskFull } from './scripts/disk-full.ts';
import { editConfig } from './scripts/edit-config.ts';
import { firewall } from './scripts/firewall.ts';
import { kubernetes } from './scripts/kubernetes.ts';
import { mysqlSlow } from './scripts/mysql-slow.ts';
import { nginxErrors } from './scripts/nginx-errors.ts';
import { orderLogs } from './scripts/order-logs.ts';
import { postgresBackup } from './scripts/postgres-backup.ts';
import { watchTop } from './scripts/top.ts';

export const SCRIPTS: readonly Script[] = [
  nginxErrors,
  orderLogs,
  diskFull,
  deploy,
  mysqlSlow,
  watchTop,
  editConfig,
  firewall,
  kubernetes,
  postgresBackup,
];

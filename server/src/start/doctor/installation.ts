import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import { createAuditChains, createVerifier } from '../../features/audits/index.ts';
import { lastBackup, OLD_BACKUP_DAYS } from '../../features/backups/index.ts';
import { createLicense } from '../../features/license/index.ts';
import { mailAccountOf } from '../../features/mail/index.ts';
import { clocksApart } from '../../features/servers/index.ts';
import { CLOCKS_APART_MILLISECONDS } from '../../platform/clock.ts';
import { openDataKeys } from '../../platform/crypto/data-keys.ts';
import { hasSecretKey } from '../../platform/crypto/master-key.ts';
import type { Vault } from '../../platform/crypto/vault.ts';
import { type Db, isSuperuser } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { reachDirectory } from '../../platform/directory/directory.ts';
import { configOf, readAuthorities, savedForm } from '../../platform/directory/saved-config.ts';
import { isConfigured, reachMailServer } from '../../platform/mail/mail.ts';
import { COMMAND, START } from '../../platform/release.ts';
import {
  createSettings,
  diskReserveBytes,
  type SettingsService,
} from '../../platform/settings/service.ts';
import type { StorageProblem } from '../../platform/storage/storage.ts';
import { createWriteProbe } from '../../platform/storage/write-probe.ts';
import { withDatabase } from '../with-database.ts';
import { examineAccounts } from './accounts.ts';
import {
  examineDatabaseHosts,
  examineDatabaseWriting,
  examineFailover,
  examineStandbyReads,
} from './failover.ts';
import {
  type DoctorContext,
  type Finding,
  fine,
  problem,
  reasonOf,
  SOON_DAYS,
  warning,
} from './finding.ts';
import { examineProof } from './proof.ts';
import { examinePeers } from './reach.ts';
import { examineRecordingHomes, examineStorages } from './storages.ts';

const DAY = 86_400_000;
const MEBIBYTE = 1_048_576;

/**
 * Checks the database, and the services that the settings name. Starts the embedded database if no
 * server runs.
 */
export async function examineInstallation({
  config,
  isRunning,
}: DoctorContext): Promise<Finding[]> {
  const findings: Finding[] = [];
  try {
    await withDatabase(config, async ({ db, pool }) => {
      findings.push(fine('database', 'The database answers and has the tables of this version'));
      findings.push(...(await examineDatabaseHosts(config)));
      findings.push(...(await examineStandbyReads(config)));
      if (config.databaseUrl && (await isSuperuser(pool)))
        findings.push(
          warning(
            'database',
            'The role of SALLYPORT_DATABASE_URL is a superuser',
            'Give Sallyport a role without that right, which owns its database',
          ),
        );
      findings.push(...(await examineDatabaseWriting(db)));
      findings.push(await clock(db), await backups(db), ...(await examineAccounts(db)));
      if (!hasSecretKey(config)) return;
      const { vault, finding } = await secretKey(db, config);
      findings.push(finding);
      if (!vault) return;
      const settings = createSettings(db, vault, config.without);
      await settings.reload();
      findings.push(
        await license(db, config),
        await audit(db, vault, config),
        await writing(config),
        await reserve(settings, config),
      );
      findings.push(
        ...(await examinePeers(db, vault, config)),
        ...(await examineProof(db, vault, { config, isRunning })),
        ...(await examineFailover(db, settings, config)),
      );
      findings.push(
        ...(await examineStorages(db, vault, config)),
        ...(await examineRecordingHomes(db)),
        await mail(settings),
        await directory(settings, config),
      );
    });
  } catch (error) {
    findings.push(
      problem(
        'database',
        reasonOf(error),
        config.databaseUrl
          ? 'Check SALLYPORT_DATABASE_URL, and that PostgreSQL runs'
          : `Look into ${join(config.dataDirectory, 'postgres.log')}; then start the server: ${START}`,
      ),
    );
  }
  return findings;
}

async function clock(db: Db): Promise<Finding> {
  const sentAt = Date.now();
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db);
  // The database answered between the request and now.
  const between = (sentAt + Date.now()) / 2;
  const ahead = between - (rows[0]?.now.getTime() ?? between);
  const own = Math.abs(ahead) > CLOCKS_APART_MILLISECONDS ? [differs('this machine', ahead)] : [];
  const others = (await clocksApart(db)).map(({ name, seconds }) =>
    differs(`the server ${name}`, seconds * 1_000),
  );
  const differences = [...own, ...others];
  return differences.length > 0
    ? problem(
        'clock',
        differences.join('; '),
        'Let all follow a time server: timedatectl set-ntp true',
      )
    : fine('clock', 'The clocks of the servers and of the database agree');
}

function differs(machine: string, ahead: number): string {
  const seconds = Math.round(Math.abs(ahead) / 1_000);
  return `The clock of ${machine} is ${seconds} s ${ahead > 0 ? 'ahead of' : 'behind'} the database's`;
}

async function backups(db: Db): Promise<Finding> {
  const last = await lastBackup(db);
  const fix = `${COMMAND} backup /backup/sallyport-$(date +%F) --recordings --keys=/backup-keys/sallyport-$(date +%F).json`;
  if (!last) return warning('backup', 'No backup was made with this program', fix);
  const days = Math.floor((Date.now() - last.getTime()) / DAY);
  return days >= OLD_BACKUP_DAYS
    ? warning('backup', `The last backup is ${days} days old`, fix)
    : fine('backup', `The last backup was made at ${last.toISOString()}`);
}

async function secretKey(
  db: Db,
  config: Config,
): Promise<{ readonly finding: Finding; readonly vault?: Vault }> {
  try {
    const { vault } = await openDataKeys(db, config);
    return {
      finding: fine('secret-key', 'The secret key opens the secrets of the database'),
      vault,
    };
  } catch (error) {
    const fix = "Name the newest key: SALLYPORT_SECRET_KEY_FILE='/path/to/secret.key'";
    return { finding: problem('secret-key', reasonOf(error), fix) };
  }
}

async function license(db: Db, config: Config): Promise<Finding> {
  const service = createLicense(db, config.licensePublicKey);
  await service.reload();
  const current = service.current();
  const fix = `Import a license: Administration > License, or issue one: ${COMMAND} license issue`;
  if (!current) return fine('license', 'There is no license: what needs one is not available');
  const days = Math.floor((Date.parse(`${current.expired}T23:59:59Z`) - Date.now()) / DAY);
  if (days < 0) return problem('license', `The license ended on ${current.expired}`, fix);
  return days < SOON_DAYS
    ? warning('license', `The license ends on ${current.expired}`, fix)
    : fine('license', `The license is good until ${current.expired}`);
}

async function audit(db: Db, vault: Vault, config: Config): Promise<Finding> {
  const verifier = createVerifier({
    db,
    vault,
    chains: createAuditChains({ db, vault, directory: config.dataDirectory }),
  });
  const last = await verifier.last();
  const fix = `${COMMAND} audit verify`;
  if (last && !last.intact)
    return problem(
      'audit',
      'The last verification found logs, sessions or recordings that are not as they were',
      fix,
    );
  return (await verifier.isDue())
    ? warning('audit', 'The audit logs were not verified lately', fix)
    : fine('audit', 'The audit logs were verified and are intact');
}

/** Tries what a session needs: a new file in the folders of data and of recordings. */
async function writing({ dataDirectory }: Config): Promise<Finding> {
  const code = await createWriteProbe([dataDirectory, join(dataDirectory, 'recordings')])();
  return code === undefined
    ? fine('disk-writing', 'The data folder takes new files')
    : problem(
        'disk-writing',
        `No session can be opened: the disk of ${dataDirectory} ${DISK_PROBLEMS[code] ?? 'fails'}`,
        'Look at the disk with df, df -i, mount and dmesg',
      );
}

const DISK_PROBLEMS: Readonly<Partial<Record<StorageProblem, string>>> = {
  full: 'has no room for a new file, or no free inode',
  refused: 'is read-only, or the account of the server may not write',
  hanging: 'does not answer',
  missing: 'lacks a folder of the server',
};

/** Below the reserve, the server ends sessions and rejects new ones. */
async function reserve(settings: SettingsService, { dataDirectory }: Config): Promise<Finding> {
  const { bavail, bsize } = await statfs(dataDirectory);
  const [free, least] = [
    Math.floor((bavail * bsize) / MEBIBYTE),
    Math.floor(diskReserveBytes(settings) / MEBIBYTE),
  ];
  const text = `${free} MiB are free for recordings, and the disk reserve is ${least} MiB`;
  return free < least
    ? problem(
        'disk-reserve',
        `No session can be opened: ${text}`,
        'Make room, or lower Settings > Terminal > Disk reserve',
      )
    : fine('disk-reserve', text);
}

async function mail(settings: SettingsService): Promise<Finding> {
  const account = mailAccountOf(settings);
  if (!isConfigured(account)) return fine('mail', 'No mail server is set up: no mail is sent');
  try {
    await reachMailServer(account);
    return fine('mail', `The mail server ${account.host} answers and lets us in`);
  } catch (error) {
    return problem(
      'mail',
      `The mail server ${account.host} does not work: ${reasonOf(error)}`,
      'Correct it: Settings > Mail',
    );
  }
}

async function directory(settings: SettingsService, config: Config): Promise<Finding> {
  if (!settings.get('AUTH_LDAP')) return fine('ldap', 'LDAP is switched off');
  try {
    await reachDirectory(configOf(savedForm(settings), readAuthorities(config.ldapCaFile)));
    return fine('ldap', 'The LDAP directory answers and lets us in');
  } catch (error) {
    return problem(
      'ldap',
      `The LDAP directory does not work: ${reasonOf(error)}`,
      'Correct it: Settings > LDAP; for its certificate SALLYPORT_LDAP_CA_FILE',
    );
  }
}

import type { LocalText } from '@sallyport/contract';
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';

/** What a test of the connection found. */
export interface FoundConnectivity {
  readonly assetId: string;
  /** The account that was tried; '' where only a port was. */
  readonly username: string;
  readonly isReachable: boolean;
  /** Why it was not reached. */
  readonly reason?: LocalText | undefined;
}

/** The fields of an asset that its server tells. */
export interface FoundHardware {
  readonly vendor: string;
  readonly model: string;
  readonly sn: string;
  readonly cpu_model: string;
  readonly cpu_count: number;
  readonly cpu_cores: number;
  readonly cpu_vcpus: number;
  readonly memory: string;
  readonly disk_total: string;
  readonly disk_info: string;
  readonly os: string;
  readonly os_version: string;
  readonly os_arch: string;
  readonly hostname_raw: string;
}

/** What work on the servers themselves finds out about assets. */
export interface AssetFindings {
  /**
   * Of an asset, as its own account found it: the connectivity of the asset and of that account.
   */
  setConnectivity(found: FoundConnectivity): Promise<void>;
  /** Of one account on an asset, in the table `account_connectivity`. */
  setAccountConnectivity(found: FoundConnectivity): Promise<void>;
  setHardware(assetId: string, hardware: FoundHardware): Promise<void>;
}

/** Writes it into the assets. An asset that was deleted meanwhile is left out. */
export function createAssetFindings(db: Db): AssetFindings {
  const setAccountConnectivity = async ({
    assetId,
    username,
    isReachable,
    reason,
  }: FoundConnectivity) => {
    await sql`
      insert into account_connectivity (asset_id, username, status, reason, date)
      select id, ${username}, ${isReachable ? 1 : 0},
        ${reason ? JSON.stringify(reason) : null}::jsonb, now() from asset where id = ${assetId}
      on conflict (asset_id, username)
      do update set status = excluded.status, reason = excluded.reason,
        date = excluded.date`.execute(db);
  };
  return {
    setAccountConnectivity,
    async setConnectivity(found) {
      const { assetId, isReachable, reason } = found;
      if (found.username !== '') await setAccountConnectivity(found);
      await sql`
        update asset set connectivity_status = ${isReachable ? 1 : 0}, connectivity_date = now(),
          connectivity_reason = ${reason ? JSON.stringify(reason) : null}::jsonb
          where id = ${assetId}`.execute(db);
    },
    async setHardware(assetId, hardware) {
      const {
        vendor,
        model,
        sn,
        cpu_model,
        cpu_count,
        cpu_cores,
        cpu_vcpus,
        memory,
        disk_total,
        disk_info,
        os,
        os_version,
        os_arch,
        hostname_raw,
      } = hardware;
      await sql`
        update asset set vendor = ${vendor}, model = ${model}, sn = ${sn}, cpu_model = ${cpu_model},
          cpu_count = ${cpu_count}, cpu_cores = ${cpu_cores},
          cpu_vcpus = ${cpu_vcpus}, memory = ${memory}, disk_total = ${disk_total},
            disk_info = ${disk_info}, os = ${os}, os_version = ${os_version},
          os_arch = ${os_arch}, hostname_raw = ${hostname_raw} where id = ${assetId}`.execute(db);
    },
  };
}

import type { HardwareFacts, LocalText } from '@sallyport/contract';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';

/** Result of a connection test. */
export interface ConnectivityResult {
  readonly assetId: string;
  /** The tested account; '' if only the port was tested. */
  readonly username: string;
  readonly isReachable: boolean;
  /** Reason of the failure. */
  readonly reason?: LocalText | undefined;
  /** Undefined if the test ended before the server decided. */
  readonly isSignedIn?: boolean | undefined;
  readonly runsCommands?: boolean | undefined;
  readonly servesFiles?: boolean | undefined;
}

/** Stores what jobs learn about assets on the servers. */
export interface AssetFindings {
  /** Stores the result for the asset, and for the tested account if there was one. */
  setConnectivity(result: ConnectivityResult): Promise<void>;
  /** Stores the result for the account only (`account_connectivity`). */
  setAccountConnectivity(result: ConnectivityResult): Promise<void>;
  setHardware(assetId: string, hardware: HardwareFacts): Promise<void>;
}

/** Creates the store. Deleted assets are ignored. */
export function createAssetFindings(db: Db): AssetFindings {
  const setAccountConnectivity = async ({
    assetId,
    username,
    isReachable,
    reason,
    isSignedIn,
    runsCommands,
    servesFiles,
  }: ConnectivityResult) => {
    await sql`
      insert into account_connectivity (asset_id, username, status, reason, date, signed_in,
        runs_commands, serves_files)
      select id, ${username}, ${isReachable ? 1 : 0},
        ${reason ? JSON.stringify(reason) : null}::jsonb, now(), ${isSignedIn ?? null}::boolean,
        ${runsCommands ?? null}::boolean, ${servesFiles ?? null}::boolean
      from asset where id = ${assetId}
      on conflict (asset_id, username)
      do update set status = excluded.status, reason = excluded.reason, date = excluded.date,
        signed_in = excluded.signed_in, runs_commands = excluded.runs_commands,
        serves_files = excluded.serves_files`.execute(db);
  };
  return {
    setAccountConnectivity,
    async setConnectivity(result) {
      const { assetId, isReachable, reason } = result;
      if (result.username !== '') await setAccountConnectivity(result);
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

import {
  type asset,
  assetUser,
  formatDatetime,
  type LocalText,
  type Row,
  readableFields,
  say,
} from '@sallyport/contract';
import type { Caller } from '../../platform/actor.ts';

type Connectivity = Row<typeof asset>['connectivity'];

/** An account of an asset, as on the wire. */
export interface AssetUserRow {
  readonly id: string;
  readonly asset: string;
  readonly hostname: string;
  readonly username: string;
  readonly backend: string;
  readonly origin_id: string;
  readonly is_best: boolean;
  readonly [more: string]: unknown;
}

type StoredConnectivity = [
  status: 0 | 1 | 2,
  seconds: number,
  reason: LocalText | null,
  isSignedIn: boolean | null,
  runsCommands: boolean | null,
  servesFiles: boolean | null,
];

/** An account of an asset, as the database returns it. */
export interface StoredAccount extends AssetUserRow {
  readonly connectivity: StoredConnectivity | null;
  readonly date_created: Date;
  readonly date_updated: Date;
  readonly date_secret_changed: Date | null;
  readonly date_last_used: Date | null;
  readonly rotation: [isSuccess: boolean, seconds: number] | null;
}

const NAMES = readableFields(assetUser, false).map(([name]) => name);

/** Returns an account as on the wire. */
export function wireRow(
  { connectivity: tested, ...row }: StoredAccount,
  { zone, language }: Caller,
  organizationName: string,
): AssetUserRow {
  const moment = (date: Date) => formatDatetime(date, zone);
  const [status, seconds, reason, isSignedIn = null, runsCommands = null, servesFiles = null] =
    tested ?? [2, row.date_created.getTime() / 1_000, null];
  const connectivity: Connectivity = {
    status,
    datetime: moment(new Date(seconds * 1_000)),
    ...(reason && { reason: say(reason, language) }),
    ...(isSignedIn !== null && { signed_in: isSignedIn }),
    ...(runsCommands !== null && { runs_commands: runsCommands }),
    ...(servesFiles !== null && { serves_files: servesFiles }),
  };
  const fields = {
    ...row,
    connectivity,
    date_created: moment(row.date_created),
    date_updated: moment(row.date_updated),
    date_secret_changed: row.date_secret_changed && moment(row.date_secret_changed),
    date_last_used: row.date_last_used && moment(row.date_last_used),
    rotation: row.rotation && {
      is_success: row.rotation[0],
      date: moment(new Date(row.rotation[1] * 1_000)),
    },
    org_name: organizationName,
  };
  return Object.fromEntries(
    NAMES.map((field) => [field, fields[field as keyof typeof fields]]),
  ) as AssetUserRow;
}

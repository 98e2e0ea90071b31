import {
  databaseAppPermission,
  type LocalText,
  type Row,
  remoteAppPermission,
} from '@sallyport/contract';
import { words } from './words.ts';

export type AppRule = Row<typeof remoteAppPermission> | Row<typeof databaseAppPermission>;

/** The differences between the pages of the two kinds of permission. */
export interface AppKind {
  readonly resource: typeof remoteAppPermission | typeof databaseAppPermission;
  /** The field with the applications, and the resource that the field refers to. */
  readonly field: 'remote_apps' | 'database_apps';
  readonly target: 'remote_app' | 'database_app';
  /** The names of permission and application on the link endpoints. */
  readonly owner: string;
  readonly key: 'remoteapp' | 'databaseapp';
  /** The protocols of system users in such permissions. */
  readonly protocols: string;
  /** The prefix of the tab names. */
  readonly tab: 'RemoteApp' | 'DatabaseApp';
  readonly hint: LocalText;
  readonly apps: LocalText;
  /** The reason of a permission without applications. */
  readonly lacks: LocalText;
  readonly add: LocalText;
  readonly accountsHelp: LocalText;
  readonly idsOf: (rule: AppRule) => readonly string[];
  readonly amountOf: (rule: AppRule) => number;
}

export const REMOTE: AppKind = {
  resource: remoteAppPermission,
  field: 'remote_apps',
  target: 'remote_app',
  owner: 'remoteapppermission',
  key: 'remoteapp',
  protocols: 'rdp',
  tab: 'RemoteApp',
  hint: words.remoteHint,
  apps: words.remoteApps,
  lacks: words.lacksRemoteApps,
  add: words.addRemoteApp,
  accountsHelp: words.remoteAccounts,
  idsOf: (rule) => ('remote_apps' in rule ? rule.remote_apps : []),
  amountOf: (rule) => ('remote_apps' in rule ? rule.remote_apps_amount : 0),
};

export const DATABASES: AppKind = {
  resource: databaseAppPermission,
  field: 'database_apps',
  target: 'database_app',
  owner: 'databaseapppermission',
  key: 'databaseapp',
  protocols: 'mysql,postgresql,redis',
  tab: 'DatabaseApp',
  hint: words.databaseHint,
  apps: words.databases,
  lacks: words.lacksDatabases,
  add: words.addDatabase,
  accountsHelp: words.databaseAccounts,
  idsOf: (rule) => ('database_apps' in rule ? rule.database_apps : []),
  amountOf: (rule) => ('database_apps' in rule ? rule.database_apps_amount : 0),
};

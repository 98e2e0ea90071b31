import type { AccessChange, CountedNames } from './access-change.ts';

/** What somebody is about to do to objects. */
export const PLANNED_ACTIONS = [
  'delete',
  'disable',
  'enable',
  'terminate',
  'move',
  'add',
  'add_members',
  'remove_members',
  'save',
] as const;
export type PlannedAction = (typeof PLANNED_ACTIONS)[number];

/** What follows from an action; the console has a sentence for each. */
export const CONSEQUENCE_KINDS = [
  'sessions_cut',
  'sign_ins_ended',
  'keys_refused',
  'keys_deleted',
  'permissions_naming',
  'permissions_gained',
  'permissions_lost',
  'app_permissions_naming',
  'app_permissions_gained',
  'app_permissions_lost',
  'people_losing',
  'people_gaining',
  'people_concerned',
  'members',
  'groups',
  'assets_direct',
  'assets_unreachable',
  'assets_labelled',
  'assets_moved',
  'assets_blocking',
  'nodes_blocking',
  'gateways_deleted',
  'rules_deleted',
  'accounts_unfiltered',
  'sessions_unfiltered',
] as const;
export type ConsequenceKind = (typeof CONSEQUENCE_KINDS)[number];

/** The resources whose actions can be asked about. */
export const CONSEQUENCE_RESOURCES = [
  'user',
  'user_group',
  'asset_permission',
  'remote_app_permission',
  'database_app_permission',
  'remote_app',
  'database_app',
  'asset',
  'node',
  'system_user',
  'admin_user',
  'domain',
  'gateway',
  'label',
  'command_filter',
  'platform',
  'organization',
  'session',
] as const;
export type ConsequenceResource = (typeof CONSEQUENCE_RESOURCES)[number];

/** One thing that follows from an action. */
export interface Consequence extends CountedNames {
  readonly kind: ConsequenceKind;
  /** The action is refused while there are any. */
  readonly blocks: boolean;
}

/** POST perms/consequences/: what follows from an action on some objects, without doing it. */
export interface Consequences {
  /** The objects that the caller may see. */
  readonly objects: CountedNames;
  readonly consequences: readonly Consequence[];
  /** How access changes, where permissions, groups or nodes do. */
  readonly access: readonly AccessChange[];
  /** When access changes, if that is not at once. */
  readonly access_from: string | null;
  /** What must be typed before it is done: the name of the only object, or how many they are; null when few are concerned. */
  readonly type_to_confirm: string | null;
}

/** The body of POST perms/consequences/. */
export interface ConsequencesQuestion {
  readonly action: PlannedAction;
  readonly resource: ConsequenceResource;
  readonly ids?: readonly string[];
  /** A named set of ids instead of the ids. */
  readonly spm?: string;
  /** The node that nodes or assets move to, or that assets are added to. */
  readonly target?: string;
  /** The users who come to groups, or leave them; for `save` those whom the group or the permission has afterwards. */
  readonly users?: readonly string[];
  /** For `save`: the other fields of the permission as they would be stored. */
  readonly user_groups?: readonly string[];
  readonly assets?: readonly string[];
  readonly nodes?: readonly string[];
  readonly remote_apps?: readonly string[];
  readonly database_apps?: readonly string[];
  readonly system_users?: readonly string[];
  readonly actions?: readonly string[];
  /** Of permissions about databases. */
  readonly is_read_only?: boolean;
  readonly is_active?: boolean;
  readonly date_start?: string;
  readonly date_expired?: string;
}

/** The most letters of the reason that an ended person reads. */
export const END_REASON_MAX = 200;

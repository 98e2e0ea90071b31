/**
 * Above this number of objects, users or assets, the console asks to type the name or the number
 * before it acts.
 */
export const MANY_CONCERNED = 50;

/** A count with the first few names. */
export interface CountedNames {
  readonly count: number;
  readonly names: readonly string[];
}

/** Ways in which the access of users changes. */
export const ACCESS_CHANGES = [
  'gained',
  'lost',
  'more_actions',
  'fewer_actions',
  'longer',
  'shorter',
] as const;
export type AccessChangeKind = (typeof ACCESS_CHANGES)[number];

/**
 * One kind of change over all grants. Access that another permission also grants does not change.
 */
export interface AccessChange {
  readonly kind: AccessChangeKind;
  /** Kind of `assets`: servers, or applications of a kind. */
  readonly target: 'asset' | 'remote_app' | 'database_app' | 'cluster';
  readonly people: CountedNames;
  readonly assets: CountedNames;
  readonly accounts: CountedNames;
  /** Number of accesses, each of one user to one asset as one system user. */
  readonly accesses: number;
  /** Added or removed actions; empty for other kinds of change. */
  readonly actions: readonly string[];
}

/** Returns true if a change removes access. */
export function concernsMany({ people, assets }: Pick<AccessChange, 'people' | 'assets'>): boolean {
  return people.count > MANY_CONCERNED || assets.count > MANY_CONCERNED;
}

/** Returns true if a change takes access away. */
export function takesAway({ kind }: Pick<AccessChange, 'kind'>): boolean {
  return kind === 'lost' || kind === 'fewer_actions' || kind === 'shorter';
}

/** Actions that can be previewed. */
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

/** Kinds of consequences; the console has a sentence for each. */
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
  'domains_direct',
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

/** Resources with previews of actions. */
export const CONSEQUENCE_RESOURCES = [
  'user',
  'user_group',
  'asset_permission',
  'remote_app_permission',
  'database_app_permission',
  'cluster_permission',
  'remote_app',
  'database_app',
  'cluster',
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

export interface Consequence extends CountedNames {
  readonly kind: ConsequenceKind;
  /** True if the server rejects the action as long as such objects exist. */
  readonly blocks: boolean;
}

/** POST perms/consequences/: a preview of an action on some objects. */
export interface Consequences {
  /** Objects that the caller may see. */
  readonly objects: CountedNames;
  readonly consequences: readonly Consequence[];
  /** Changes of access, for permissions, groups and nodes. */
  readonly access: readonly AccessChange[];
  /** Time when access changes; null: immediately. */
  readonly access_from: string | null;
  /**
   * Text to type as confirmation: the name of the only object, or the count; null for small
   * changes.
   */
  readonly type_to_confirm: string | null;
}

/** The body of POST perms/consequences/. */
export interface ConsequencesQuestion {
  readonly action: PlannedAction;
  readonly resource: ConsequenceResource;
  readonly ids?: readonly string[];
  /** A set of ids instead of `ids`. */
  readonly spm?: string;
  /** The node to which nodes or assets move, or assets are added. */
  readonly target?: string;
  /** Users who join or leave groups; for `save`, all users of the group or permission after it. */
  readonly users?: readonly string[];
  /** For `save`: the other fields of the permission after it. */
  readonly user_groups?: readonly string[];
  readonly assets?: readonly string[];
  readonly nodes?: readonly string[];
  readonly remote_apps?: readonly string[];
  readonly database_apps?: readonly string[];
  readonly system_users?: readonly string[];
  readonly actions?: readonly string[];
  /** For database permissions. */
  readonly is_read_only?: boolean;
  readonly is_active?: boolean;
  readonly date_start?: string;
  readonly date_expired?: string;
}

/** Maximum characters of the reason that the user of an ended session reads. */
export const END_REASON_MAX = 200;

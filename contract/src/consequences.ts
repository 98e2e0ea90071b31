/** What somebody is about to do to objects. */
export const PLANNED_ACTIONS = ['delete', 'disable', 'enable', 'terminate', 'move', 'add', 'add_members', 'remove_members'] as const;
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
  'people_losing',
  'people_reaching',
  'people_gaining',
  'people_concerned',
  'members',
  'groups',
  'assets_reached',
  'assets_gained',
  'assets_direct',
  'assets_unreachable',
  'assets_labelled',
  'assets_moved',
  'assets_blocking',
  'nodes_blocking',
  'gateways_deleted',
] as const;
export type ConsequenceKind = (typeof CONSEQUENCE_KINDS)[number];

/** The resources whose actions can be asked about. */
export const CONSEQUENCE_RESOURCES = [
  'user',
  'user_group',
  'asset_permission',
  'asset',
  'node',
  'system_user',
  'admin_user',
  'domain',
  'gateway',
  'label',
  'platform',
  'organization',
  'session',
] as const;
export type ConsequenceResource = (typeof CONSEQUENCE_RESOURCES)[number];

/** More than so many objects, people or assets are many: the console asks to type the name, or the number, before it acts. */
export const MANY_CONCERNED = 50;

/** How many there are, with the names of the first few. */
export interface CountedNames {
  readonly count: number;
  readonly names: readonly string[];
}

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
  /** The users who come to groups, or leave them. */
  readonly users?: readonly string[];
}

/** The most letters of the reason that an ended person reads. */
export const END_REASON_MAX = 200;

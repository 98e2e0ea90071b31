import type { LocalText } from './kit/text.ts';

/**
 * Areas of the product, by which duties are separated. A route, a resource and a page belong to one
 * area or to none.
 */
export const AREAS = [
  /** The own account: profile, factors, keys, preferences, news. */
  'own',
  'assets',
  /** Passwords and keys of accounts on assets. */
  'secrets',
  'users',
  'groups',
  /** Servers, storages, backups, directories, work on assets. */
  'operation',
  'jobs',
  /** The settings; `dutyChangesSettings` decides about each. */
  'settings',
  'permissions',
  /** Change sets; those of settings belong to two duties, the others to `permissions`. */
  'changes',
  /** Command filters, sign-in rules, networks, group mappings. */
  'rules',
  'security',
  /** Programs that work for users, and their calls. No duty creates one. */
  'agents',
  'tickets',
  'logs',
  /** Unusual sign-ins and accesses, which a reader marks as seen. */
  'alerts',
  'reports',
] as const;
export type Area = (typeof AREAS)[number];

/** `read`: methods without effect, and routes that declare `reads`. */
export type AreaUse = 'read' | 'change';

/** Duties that no two of which one account may hold. */
export const DUTIES = ['system', 'security', 'audit'] as const;
export type Duty = (typeof DUTIES)[number];
/** Empty: the account has no duty, and its role alone decides. */
export type DutyOrNone = Duty | '';

interface DutyDeclaration {
  readonly title: LocalText;
  /** The account role that a holder has. The duty takes rights of this role away. */
  readonly role: 'Admin' | 'Auditor';
  /** Areas that a holder may use. All others are refused (deny by default). */
  readonly areas: Readonly<Partial<Record<Area, AreaUse>>>;
}

export const DUTY: Readonly<Record<Duty, DutyDeclaration>> = {
  system: {
    title: { en: 'System administrator', zh: '系统管理员' },
    role: 'Admin',
    areas: {
      own: 'change',
      assets: 'change',
      secrets: 'change',
      users: 'change',
      groups: 'read',
      operation: 'change',
      jobs: 'change',
      settings: 'change',
      changes: 'change',
    },
  },
  security: {
    title: { en: 'Security administrator', zh: '安全管理员' },
    role: 'Admin',
    areas: {
      own: 'change',
      assets: 'read',
      users: 'change',
      groups: 'change',
      jobs: 'read',
      settings: 'change',
      permissions: 'change',
      changes: 'change',
      rules: 'change',
      security: 'change',
      agents: 'change',
      tickets: 'change',
      reports: 'read',
    },
  },
  audit: {
    title: { en: 'Audit administrator', zh: '审计管理员' },
    role: 'Auditor',
    areas: {
      own: 'change',
      agents: 'read',
      jobs: 'read',
      tickets: 'read',
      logs: 'read',
      alerts: 'change',
      reports: 'read',
    },
  },
};

/** Returns true if a duty covers a use of an area. An account without a duty is not limited. */
export function dutyCovers(duty: DutyOrNone, area: Area | undefined, use: AreaUse): boolean {
  if (duty === '') return true;
  const held = area && DUTY[duty].areas[area];
  return held === 'change' || held === use;
}

import { words } from './words.ts';

/** What the user may open. */
export const MINE = {
  name: 'my_emergency_access',
  path: 'perms/users/emergency-access',
  title: words.mayOpen,
  labelField: 'hostname',
  fields: {},
} as const;

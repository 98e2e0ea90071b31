import { words } from './words.ts';

/** The assets that the user may open in an emergency. */
export const MINE = {
  name: 'my_emergency_access',
  path: 'perms/users/emergency-access',
  title: words.mayOpen,
  labelField: 'hostname',
  fields: {},
} as const;

import { narrowed } from '../../resource/references.ts';

/** Users who can be in a group: all but auditors. */
export const GROUPABLE = narrowed('user', { role__in: 'Admin,User' });

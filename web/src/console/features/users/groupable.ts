import { narrowed } from '../../resource/references.ts';

/** Who may be in a group: every user but auditors. */
export const GROUPABLE = narrowed('user', { role__in: 'Admin,User' });

import { createGroups } from './groups.ts';
import type { ScimOptions, ScimResources } from './resources.ts';
import { createUsers } from './users.ts';

export interface Scim {
  readonly users: ScimResources;
  readonly groups: ScimResources;
}

/** Creates the SCIM operations on accounts and groups. */
export const createScim = (options: ScimOptions): Scim => ({
  users: createUsers(options),
  groups: createGroups(options),
});

import { defineModule } from '../../module.ts';
import { license } from '../license/index.ts';
import { mountMembership } from './membership-routes.ts';
import { createOrganizationHooks } from './organization-hooks.ts';
import { createOrganizations } from './service.ts';

export {
  createOrganizations,
  joinPlace,
  type OrganizationService,
  type PlaceColumns,
  readPlace,
} from './service.ts';
export { addMemberOnce, addMembers, findInvited, removeMember } from './store.ts';

/** Organizations and their members. */
export const orgs = defineModule({
  name: 'orgs',
  tables: ['organization', 'organization_member'],
  create({ core: { db }, use }) {
    return {
      service: createOrganizations(db),
      hooks: { organization: createOrganizationHooks(use(license)) },
      routes({ http, engines, services }) {
        mountMembership(http, engines, services);
      },
    };
  },
});

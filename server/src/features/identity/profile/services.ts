import type { Authenticator } from '../../../http/route.ts';
import type { Db } from '../../../platform/db/database.ts';
import type { SettingsService } from '../../../platform/settings/service.ts';
import type { Engines } from '../../../resources/engines.ts';
import type { AuditWriter } from '../../../resources/hooks.ts';
import type { OrganizationService } from '../../orgs/index.ts';
import type { SecondFactors } from '../mfa/second-factors.ts';
import type { SignInService } from '../sign-in/types.ts';

export interface ProfileServices {
  readonly db: Db;
  readonly engines: Engines;
  readonly organizations: OrganizationService;
  readonly settings: SettingsService;
  readonly authenticator: Authenticator;
  readonly audit: AuditWriter;
  readonly factors: SecondFactors;
  readonly signIns: SignInService;
}

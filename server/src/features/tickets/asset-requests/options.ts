import type { Db } from '../../../platform/db/database.ts';
import type { SettingsService } from '../../../platform/settings/service.ts';
import type { Engines } from '../../../resources/engines.ts';
import type { AuditWriter } from '../../../resources/hooks.ts';
import type { LicenseService } from '../../license/index.ts';
import type { TicketMails } from '../mails.ts';

export interface AssetRequestOptions {
  readonly db: Db;
  readonly engines: Engines;
  readonly audit: AuditWriter;
  readonly settings: Pick<SettingsService, 'get'>;
  readonly license: Pick<LicenseService, 'isLicensed'>;
  readonly mails: Pick<TicketMails, 'asked'>;
}

import { asset, domain, systemUser } from '@sallyport/contract';
import { sql } from '../../platform/db/sql.ts';
import { type Attention, attentionRows } from '../../resources/attention.ts';
import { SYSTEM_USER_ATTENTION } from './account-hooks.ts';
import { ASSET_ATTENTION } from './asset-hooks.ts';
import { DOMAIN_ATTENTION } from './domain-hooks.ts';
import { isSiteAway, siteSeen } from './gateway-hooks.ts';

const hostname = sql`t.hostname`;

export const assetAttention: Attention = {
  rows: {
    changed_host_keys: {
      resource: asset,
      search: attentionRows('asset', ASSET_ATTENTION.changed_host_keys, {
        name: hostname,
        date: sql`(select max(k.date_offered) from host_key k where k.asset_id = t.id
          and k.offered_public_key is not null)`,
      }),
    },
    unreachable_assets: {
      resource: asset,
      search: attentionRows('asset', ASSET_ATTENTION.unreachable_assets, {
        name: hostname,
        date: sql`t.connectivity_date`,
      }),
    },
    sites_away: {
      resource: domain,
      search: attentionRows('domain', DOMAIN_ATTENTION.sites_away, {
        name: sql`t.name`,
        date: sql`(select min(away.seen) from (select t.domain_id, ${siteSeen} as seen
          from gateway t where ${isSiteAway}) away where away.domain_id = t.id)`,
      }),
    },
    failed_pushes: {
      resource: systemUser,
      search: attentionRows('system_account', SYSTEM_USER_ATTENTION.failed_pushes, {
        name: sql`t.name`,
        date: sql`(select max(p.date_pushed) from system_user_push p where p.system_user_id = t.id
          and p.state = 'failed')`,
      }),
    },
  },
};

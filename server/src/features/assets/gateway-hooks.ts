import { gateway } from '@sallyport/contract';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { invalid } from '../../platform/errors.ts';
import { hooksFor } from '../../resources/hooks.ts';
import { readKeys } from './account-hooks.ts';

/** The open tunnels `s` of a gateway (alias `t`). */
const OPEN_TUNNELS = sql`from site_tunnel s
  where s.gateway_id = t.id and s.date_seen > now() - interval '90 seconds'`;

const ofTunnels = (fact: Sql): Sql => sql`(select ${fact} ${OPEN_TUNNELS})`;
const ofIdentity = (fact: Sql): Sql =>
  sql`(select ${fact} from site_identity i where i.gateway_id = t.id)`;

/** True for an active site (alias `t`) that has joined and has no tunnel. */
export const isSiteAway = sql`(t.protocol = 'site' and t.is_active
  and ${ofIdentity(sql`i.public_key is not null`)} and not exists (select ${OPEN_TUNNELS}))`;

/** When a site (alias `t`) was last seen, or has joined. */
export const siteSeen = ofIdentity(sql`coalesce(i.date_seen, i.date_joined)`);

export const gatewayHooks = hooksFor(gateway, {
  columns: {
    tunnels: () => ofTunnels(sql`count(*)::integer`),
    tunnel_since: () => ofTunnels(sql`min(s.date_connected)`),
    tunnel_from: () => ofTunnels(sql`coalesce(string_agg(distinct s.remote_addr, ', '), '')`),
    tunnel_software: () => ofTunnels(sql`coalesce(string_agg(distinct s.software, ', '), '')`),
    tunnel_channels: () => ofTunnels(sql`coalesce(sum(s.channels), 0)::integer`),
    tunnel_round_trip: () => ofTunnels(sql`min(s.round_trip_ms)`),
    date_seen: () => siteSeen,
    date_joined: () => ofIdentity(sql`i.date_joined`),
  },
  async beforeSave(values, previous, { tx }) {
    await readKeys(values);
    const fieldOf = (name: 'protocol' | 'ip' | 'domain') => values[name] ?? previous?.[name];
    if (fieldOf('protocol') !== 'site') {
      if (!fieldOf('ip')) throw invalid('ip', 'required');
      return;
    }
    const { rows } = await sql`
      select 1 from domain where id = ${fieldOf('domain')} and through_id is not null`.execute(tx);
    if (rows.length > 0) throw invalid('domain', 'site_behind_domain');
  },
});

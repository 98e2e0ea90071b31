import { readServers } from '../../platform/radius/client.ts';
import { REQUIRED, type SettingRule } from '../../platform/settings/rules.ts';

/** Validates the settings of RADIUS. */
export const radiusRule: SettingRule = ({
  AUTH_RADIUS_SERVERS: servers,
  AUTH_RADIUS_SECRET: secret,
  AUTH_RADIUS: isOn,
}) => ({
  ...(!readServers(servers) && { AUTH_RADIUS_SERVERS: [{ code: 'radius_servers' }] }),
  // Without a server, RADIUS would fail every sign-in.
  ...(isOn && servers.trim() === '' && { AUTH_RADIUS_SERVERS: REQUIRED }),
  ...(isOn && !secret && { AUTH_RADIUS_SECRET: REQUIRED }),
});

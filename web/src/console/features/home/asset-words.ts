/** Texts of assets and sites that need attention. */
export const assetWords = {
  changedHostKeys: {
    zh: '{count, number} 个资产的主机密钥不一致，连接已被拒绝',
    en: '{count, plural, one {# asset} other {# assets}} presented a different host key. Connections are refused.',
  },
  sitesAway: {
    zh: '{count, number} 个网域有未连接的站点',
    en: '{count, plural, one {# domain has a site that is} other {# domains have sites that are}} not connected',
  },
  unreachableAssets: {
    zh: '{count, number} 个资产无法连接',
    en: '{count, plural, one {# asset is} other {# assets are}} unreachable',
  },
  failedPushes: {
    zh: '{count, number} 个系统用户有推送失败的资产',
    en: 'Failed pushes of {count, plural, one {# system user} other {# system users}}',
  },
};

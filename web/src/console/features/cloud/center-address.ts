export const CENTER = '/xpack/cloud';
/** Search parameters that open the tab of cloud accounts. */
export const ACCOUNTS_TAB = { activeTab: 'AccountList' } as const;

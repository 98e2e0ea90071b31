/** Where the cloud center is. */
export const CENTER = '/xpack/cloud';
/** What opens the tab of the accounts. */
export const ACCOUNTS_TAB = { activeTab: 'AccountList' } as const;

/** The tab with live and ended sessions. */
export const ALL_SESSIONS = 'AllList';

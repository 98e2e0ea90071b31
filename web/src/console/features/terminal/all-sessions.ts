/** The tab of the page of sessions with those that run and those that ended. */
export const ALL_SESSIONS = 'AllList';

/** True while the live channel is open. Polling is unnecessary then. */
export const live = { isOpen: false };

/** Whether the server says by itself what changes. While it does, nobody needs to ask now and then. */
export const live = { isOpen: false };

import { api } from '../../kit/api.ts';

/** Returns the path of the invitations into the user's running web terminal. */
export const invitationsPath = (session: string): string =>
  `terminal/own-sessions/${session}/invitations/`;

/** Ends an invitation and the visit of its guest; shows errors to the user. */
export const endInvitation = (session: string, id: string): Promise<unknown> =>
  api.delete(`${invitationsPath(session)}${id}/`).catch(() => undefined);

/** Allows or forbids a guest to type; shows errors to the user. */
export const allowTyping = (session: string, id: string, mayType: boolean): Promise<unknown> =>
  api.patch(`${invitationsPath(session)}${id}/`, { may_type: mayType }).catch(() => undefined);

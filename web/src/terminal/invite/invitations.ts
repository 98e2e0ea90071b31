import { api } from '../../kit/api.ts';

/** Returns the path of the invitations into the user's running web terminal. */
export const invitationsPath = (session: string): string =>
  `terminal/own-sessions/${session}/invitations/`;

/** Ends an invitation and the visit of its guest; what goes wrong is shown. */
export const endInvitation = (session: string, id: string): Promise<unknown> =>
  api.delete(`${invitationsPath(session)}${id}/`).catch(() => undefined);

/** Lets a guest type, or takes it away; what goes wrong is shown. */
export const allowTyping = (session: string, id: string, mayType: boolean): Promise<unknown> =>
  api.patch(`${invitationsPath(session)}${id}/`, { may_type: mayType }).catch(() => undefined);

import type { Invitation, Invited } from '@sallyport/contract';
import { api } from '../../../kit/api.ts';

const URL = 'users/users/invitations/';
export const INVITATIONS_KEY = ['invitations'];

export const invitationsApi = {
  list: (signal: AbortSignal) => api.get<readonly Invitation[]>(URL, { signal }),
  /** Sends the invitation again and extends its expiry. */
  sendAgain: ({ account }: Invitation) =>
    api.post<readonly Invited[]>('users/users/invite/', { accounts: [account] }, { quiet: true }),
  withdraw: ({ id }: Invitation) => api.delete(`${URL}${id}/`, { quiet: true }),
};

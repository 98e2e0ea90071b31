import type { Invitation, Invited } from '@sallyport/contract';
import { api } from '../../../kit/api.ts';

const URL = 'users/users/invitations/';
export const INVITATIONS_KEY = ['invitations'];

/** What an organization does with its invitations. */
export const invitationsApi = {
  list: (signal: AbortSignal) => api.get<readonly Invitation[]>(URL, { signal }),
  /** The time to answer begins again. */
  sendAgain: ({ account }: Invitation) =>
    api.post<readonly Invited[]>('users/users/invite/', { accounts: [account] }, { quiet: true }),
  withdraw: ({ id }: Invitation) => api.delete(`${URL}${id}/`, { quiet: true }),
};

import { agent, type Row } from '@sallyport/contract';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { askFirst } from '../../../kit/dialogs/confirm.ts';
import { t } from '../../../kit/i18n/index.ts';
import { cacheKey } from '../../resource/source.ts';
import { words } from './words.ts';

export type Agent = Row<typeof agent>;

/** True while the token of an agent works. */
export const isLive = ({ state }: Agent): boolean => state === 'active' || state === 'used_up';

/** Key of the token of an agent that this page has just created. */
export const tokenKey = (id: string) => ['agent-token', id] as const;

/** Keeps the token of a new agent until its page has shown it. */
export function keepToken(client: QueryClient, saved: unknown): string {
  const { id, token } = saved as Agent;
  if (token) client.setQueryData(tokenKey(id), token);
  return id;
}

/** Returns the kill switches: of one agent, and of all within reach or of an owner. */
export function useEnding() {
  const client = useQueryClient();
  const end = (message: string, confirm: string, body: { agent?: string; owner?: string }) =>
    askFirst({
      message,
      confirm,
      danger: true,
      run: async () => {
        await api.post(`${agent.path}/end/`, body, { quiet: true });
        await client.invalidateQueries({ queryKey: cacheKey(agent) });
      },
      success: t(words.ended),
      failure: t(words.notEnded),
    });
  return {
    one: ({ id, name }: Agent) => end(t(words.endQuestion, { name }), t(words.end), { agent: id }),
    mine: (owner: string) => end(t(words.endMineQuestion), t(words.endMine), { owner }),
    all: () => end(t(words.endAllQuestion), t(words.endAll), {}),
  };
}

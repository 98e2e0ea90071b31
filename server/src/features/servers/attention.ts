import { Permission } from '@sallyport/contract';
import { type Attention, attentionNames } from '../../resources/attention.ts';
import { clocksApart } from './store.ts';

/** Names the servers whose clock is not the database's, with the difference. */
export const clockAttention: Attention = {
  facts: {
    kinds: ['clocks_apart'],
    access: Permission.SUPER,
    async read(db) {
      const clocks = await clocksApart(db);
      const names = clocks.map(
        ({ name, seconds }) => `${name} (${seconds > 0 ? '+' : ''}${seconds} s)`,
      );
      return [['clocks_apart', attentionNames(names)]];
    },
  },
};

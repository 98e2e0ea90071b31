import { Permission } from '@sallyport/contract';
import { displayName } from '../../platform/actor.ts';
import type { SettingsService } from '../../platform/settings/service.ts';
import { ATTENTION_EXAMPLES, type Attention, attentionFact } from '../../resources/attention.ts';
import { readingAttention } from './reading-store.ts';

export const createReadingAttention = (settings: Pick<SettingsService, 'get'>): Attention => ({
  facts: {
    kinds: ['directory_held', 'directory_unread'],
    access: Permission.SUPER,
    async read(db) {
      if (!settings.get('AUTH_LDAP')) return [];
      const { held, failingSince } = await readingAttention(db);
      return [
        [
          'directory_held',
          held && {
            count: held.people.length,
            examples: held.people.slice(0, ATTENTION_EXAMPLES).map(({ id, username, name }) => ({
              id,
              name: displayName({ name, username }),
              amount: null,
              date: held.date,
            })),
          },
        ],
        ['directory_unread', failingSince && attentionFact(null, failingSince)],
      ];
    },
  },
});

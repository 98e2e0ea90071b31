import { Permission } from '@sallyport/contract';
import { type Attention, attentionFact } from '../../resources/attention.ts';
import type { Witnesses } from './service.ts';

export const createWitnessAttention = (witnesses: Pick<Witnesses, 'state'>): Attention => ({
  facts: {
    kinds: ['witness_missing'],
    access: Permission.SUPER,
    async observe() {
      const { isMissing, last } = await witnesses.state();
      return [['witness_missing', isMissing ? attentionFact(null, last) : undefined]];
    },
  },
});

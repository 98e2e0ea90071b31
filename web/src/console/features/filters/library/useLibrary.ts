import {
  COMMAND_LIBRARY,
  commandFilter,
  commandFilterRule,
  type LibraryRule,
  pathOf,
  type Row,
} from '@sallyport/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../../kit/api.ts';
import { toast } from '../../../../kit/dialogs/toast.tsx';
import { t } from '../../../../kit/i18n/index.ts';
import { cacheKey, listUrl } from '../../../resource/source.ts';
import { words } from './words.ts';

/** The chosen rules of the library by id, each with its action, and the request that adds them. */
export function useLibrary(filter: string, onDone: () => void) {
  const client = useQueryClient();
  const source = { path: pathOf(commandFilterRule, { filter }) };
  const existing = useQuery({
    queryKey: [...cacheKey(source), 'contents'],
    queryFn: ({ signal }) =>
      api.get<Pick<Row<typeof commandFilterRule>, 'content'>[]>(
        `${listUrl(source)}?fields=content`,
        { signal },
      ),
    gcTime: 0,
  });
  const [actions, setActions] = useState<ReadonlyMap<string, number>>(new Map());
  const [busy, setBusy] = useState(false);
  const contents = new Set(existing.data?.map(({ content }) => content));
  const isPresent = ({ content }: LibraryRule) => contents.has(content);

  const choose = (rules: readonly LibraryRule[], isChosen: boolean) =>
    setActions((before) => {
      const after = new Map(before);
      for (const rule of rules) {
        if (!isChosen) after.delete(rule.id);
        else if (!isPresent(rule)) after.set(rule.id, before.get(rule.id) ?? rule.action);
      }
      return after;
    });

  async function add() {
    setBusy(true);
    const rules = COMMAND_LIBRARY.flatMap((group) => group.rules).flatMap((rule) => {
      const action = actions.get(rule.id);
      if (action === undefined) return [];
      const sentence = t(rule.sentence);
      return [
        { type: 'regex', content: rule.content, action, message: sentence, comment: sentence },
      ];
    });
    try {
      await api.post(listUrl(source), rules);
      await client.invalidateQueries({ queryKey: cacheKey(commandFilter) });
      toast.success(t(words.added, { count: rules.length }));
      onDone();
    } catch {
      // The request layer has reported the error.
      setBusy(false);
    }
  }

  return {
    actions,
    setAction: (id: string, action: number) =>
      setActions((before) => new Map([...before, [id, action]])),
    choose,
    isPresent,
    add,
    busy,
    isLoading: existing.isPending,
  };
}

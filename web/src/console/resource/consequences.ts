import {
  CONSEQUENCE_RESOURCES,
  type ConsequenceResource,
  type ConsequencesQuestion,
  type PlannedAction,
} from '@sallyport/contract';
import type { Source } from './source.ts';

const isKnown = (name: string): name is ConsequenceResource =>
  (CONSEQUENCE_RESOURCES as readonly string[]).includes(name);

/** What to ask the server before an action on objects of a source; undefined where nothing can follow. */
export function plannedFor(
  source: Pick<Source, 'name'>,
  action: PlannedAction,
  objects: readonly string[] | { readonly spm: string },
): ConsequencesQuestion | undefined {
  return isKnown(source.name)
    ? {
        action,
        resource: source.name,
        ...('spm' in objects ? { spm: objects.spm } : { ids: objects }),
      }
    : undefined;
}

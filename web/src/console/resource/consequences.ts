import {
  CONSEQUENCE_RESOURCES,
  type ConsequenceResource,
  type ConsequencesQuestion,
  type PlannedAction,
} from '@sallyport/contract';
import type { Source } from './source.ts';

const isKnown = (name: string): name is ConsequenceResource =>
  (CONSEQUENCE_RESOURCES as readonly string[]).includes(name);

/**
 * Returns the planned change whose consequences the server computes, or undefined if the action has
 * none.
 */
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

import type { PodContainer } from '@sallyport/contract';
import { isList, isObject, type Json, type JsonObject } from '../kube-body.ts';

const PLACES = [
  ['containers', 'containerStatuses', 'container'],
  ['initContainers', 'initContainerStatuses', 'init'],
  ['ephemeralContainers', 'ephemeralContainerStatuses', 'ephemeral'],
] as const;
const MAX_TEXT = 512;

const textOf = (value: Json | undefined): string =>
  typeof value === 'string' ? value.slice(0, MAX_TEXT) : '';

const objectsIn = (value: Json | undefined, key: string): readonly JsonObject[] => {
  const list = isObject(value) ? value[key] : undefined;
  return isList(list) ? list.filter(isObject) : [];
};

/** Returns the state of a container as `kubectl` words it. */
function stateOf({ state }: JsonObject): { readonly state: string; readonly is_running: boolean } {
  if (!isObject(state)) return { state: '', is_running: false };
  if (isObject(state.running)) return { state: 'Running', is_running: true };
  const { waiting, terminated } = state;
  const [name, detail] = isObject(waiting) ? ['Waiting', waiting] : ['Terminated', terminated];
  const reason = isObject(detail) ? textOf(detail.reason) : '';
  return { state: reason || name, is_running: false };
}

/** Returns the containers of a pod with their states; none for other objects. */
export const podContainers = (pod: JsonObject): PodContainer[] =>
  PLACES.flatMap(([key, statusKey, kind]) => {
    // By name: the API server decides how many there are.
    const statuses = new Map(
      objectsIn(pod.status, statusKey).map((status) => [textOf(status.name), status]),
    );
    return objectsIn(pod.spec, key).flatMap((container) => {
      const name = textOf(container.name);
      const status = statuses.get(name) ?? {};
      if (name === '') return [];
      return [
        {
          name,
          kind,
          image: textOf(container.image),
          ...stateOf(status),
          restarts: Number(status.restartCount) || 0,
        },
      ];
    });
  });

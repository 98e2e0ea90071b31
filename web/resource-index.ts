import { RESOURCES, summaryOf } from '@sallyport/contract';
import type { Plugin } from 'vite';

const NAME = 'virtual:resources';

/**
 * Makes `virtual:resources` the summaries of all declared resources, computed while building: the start of the console needs titles, paths and
 * how objects are written, but not the fields of every resource.
 */
export function resourceIndex(): Plugin {
  return {
    name: 'sallyport-resources',
    resolveId: (id) => (id === NAME ? `\0${NAME}` : undefined),
    load: (id) =>
      id === `\0${NAME}` ? `export const SUMMARIES = ${JSON.stringify(Object.fromEntries(RESOURCES.map((one) => [one.name, summaryOf(one)])))}` : undefined,
  };
}

import { AUDIT_KINDS, RESOURCES, shortSummary, summaryOf } from '@sallyport/contract';
import type { Plugin } from 'vite';

/** What pages need of all resources without their fields, by the name of its module. */
const MODULES: Readonly<Record<string, () => string>> = {
  'virtual:resources': () =>
    `export const SUMMARIES = ${JSON.stringify(Object.fromEntries(RESOURCES.map((one) => [one.name, shortSummary(summaryOf(one))])))}`,
  'virtual:audit-kinds': () => `export const AUDIT_KINDS = ${JSON.stringify(AUDIT_KINDS)}`,
};

/**
 * Makes `virtual:resources` the summaries of all declared resources, and `virtual:audit-kinds` the kinds of the operate log, computed while building: the
 * start of the console needs titles, paths and how objects are written, and the log the titles, but not the fields of every resource.
 */
export function resourceIndex(): Plugin {
  return {
    name: 'sallyport-resources',
    resolveId: (id) => (MODULES[id] ? `\0${id}` : undefined),
    load: (id) => (id.startsWith('\0') ? MODULES[id.slice(1)]?.() : undefined),
  };
}

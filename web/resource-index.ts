import { AUDIT_KINDS, RESOURCES, shortSummary, summaryOf } from '@sallyport/contract';
import type { Plugin } from 'vite';

/** Data that pages need of all resources without their fields, by module name. */
const MODULES: Readonly<Record<string, () => string>> = {
  'virtual:resources': () =>
    `export const SUMMARIES = ${JSON.stringify(Object.fromEntries(RESOURCES.map((one) => [one.name, shortSummary(summaryOf(one))])))}`,
  'virtual:audit-kinds': () => `export const AUDIT_KINDS = ${JSON.stringify(AUDIT_KINDS)}`,
};

/**
 * Resolves `virtual:resources` to summaries of all resources, and `virtual:audit-kinds` to the
 * kinds of the operate log, computed at build time. The console's start needs titles and paths but
 * not the fields of every resource.
 */
export function resourceIndex(): Plugin {
  return {
    name: 'sallyport-resources',
    resolveId: (id) => (MODULES[id] ? `\0${id}` : undefined),
    load: (id) => (id.startsWith('\0') ? MODULES[id.slice(1)]?.() : undefined),
  };
}

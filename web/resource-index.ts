import { AUDIT_KINDS, RELATIONS, RESOURCES, shortSummary, summaryOf } from '@sallyport/contract';
import type { Plugin } from 'vite';

/** Data that pages need of all resources without their fields, by module name. */
const MODULES: Readonly<Record<string, () => string>> = {
  'virtual:resources': () =>
    `export const SUMMARIES = ${JSON.stringify(Object.fromEntries(RESOURCES.map((one) => [one.name, shortSummary(summaryOf(one))])))}`,
  'virtual:audit-kinds': () => `export const AUDIT_KINDS = ${JSON.stringify(AUDIT_KINDS)}`,
  'virtual:relations': () =>
    `export const RELATION_SUMMARIES = ${JSON.stringify(Object.fromEntries(RELATIONS.map(({ owner, field, path, other }) => [`${owner.key}.${field}`, { path, other: other.key }])))}`,
};

/**
 * Resolves `virtual:resources` to summaries of all resources, `virtual:audit-kinds` to the kinds of
 * the operate log, and `virtual:relations` to the paths and keys of the relations. All are computed
 * at build time: the console's start needs titles and paths but not the fields of every resource.
 */
export function resourceIndex(): Plugin {
  return {
    name: 'sallyport-resources',
    resolveId: (id) => (MODULES[id] ? `\0${id}` : undefined),
    load: (id) => (id.startsWith('\0') ? MODULES[id.slice(1)]?.() : undefined),
  };
}

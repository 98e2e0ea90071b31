import { isMap, isScalar, isSeq, stringify } from 'yaml';
import { StartError } from '../../config.ts';
import type { FileObject } from '../../features/apply/index.ts';
import { readYaml } from './read-yaml.ts';

/** Sections of a file with the kind of their objects. */
const SECTIONS: Readonly<Record<string, string>> = {
  nodes: 'node',
  users: 'user',
  user_groups: 'user_group',
  assets: 'asset',
  asset_permissions: 'asset_permission',
  command_filters: 'command_filter',
};

/** The objects of a file, and the places of their fields. */
export interface WantedFile {
  readonly objects: readonly FileObject[];
  /** Returns the line of a field of an object, such as `rules.2.priority`; else of the object. */
  lineOf(index: number, field: string): number;
}

/**
 * Reads a YAML file with wanted objects.
 * @throws StartError with file, line and column
 */
export function readWantedFile(path: string, text: string): WantedFile {
  const { top, lineAt, fail, plainOf } = readYaml(path, text);
  if (!isMap(top)) throw fail(top, `expected sections: ${Object.keys(SECTIONS).join(', ')}`);
  const entries: { readonly node: unknown; readonly object: FileObject }[] = [];
  for (const { key, value } of top.items) {
    const section = isScalar(key) ? String(key.value) : '';
    const kind = Object.hasOwn(SECTIONS, section) ? SECTIONS[section] : undefined;
    if (kind === undefined)
      throw fail(key, `unknown section "${section}"; use ${Object.keys(SECTIONS).join(', ')}`);
    if (!isSeq(value)) throw fail(key, `${section}: expected a list`);
    for (const item of value.items) {
      // A node needs no more than its path.
      const isPath = kind === 'node' && isScalar(item) && typeof item.value === 'string';
      if (!isPath && !isMap(item)) throw fail(item, `${section}: expected an object with fields`);
      const content = plainOf(item);
      const { state = 'present', ...fields } = isPath
        ? { path: content }
        : (content as Readonly<Record<string, unknown>>);
      if (state !== 'present' && state !== 'absent')
        throw fail(item, 'state: expected present or absent');
      entries.push({ node: item, object: { kind, state, fields } });
    }
  }
  return {
    objects: entries.map(({ object }) => object),
    lineOf: (index, field) => lineAt(placeOf(entries[index]?.node, field.split('.'))),
  };
}

/** Returns the key or item at a path, or the last one on the way that exists. */
function placeOf(node: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return node;
  if (isSeq(node)) return node.has(Number(name)) ? placeOf(node.items[Number(name)], rest) : node;
  if (!isMap(node)) return node;
  const pair = node.items.find(({ key }) => isScalar(key) && key.value === name);
  if (!pair) return node;
  return rest.length > 0 ? placeOf(pair.value, rest) : pair.key;
}

/** Returns the kind of the objects in a section of a file. @throws StartError */
export function kindOfSection(section: string): string {
  const kind = Object.hasOwn(SECTIONS, section) ? SECTIONS[section] : undefined;
  if (kind === undefined)
    throw new StartError(
      `There is no section "${section}"; use ${Object.keys(SECTIONS).join(', ')}`,
    );
  return kind;
}

/** Returns the text of a file with these objects, in the order of its sections. */
export function writeWantedFile(objects: readonly FileObject[]): string {
  const sections = Object.entries(SECTIONS).map(([section, kind]) => {
    const content = objects
      .filter((object) => object.kind === kind)
      .map(({ fields }) => (kind === 'node' ? fields.path : fields));
    return [section, content] as const;
  });
  // Lines are not folded and nothing is an anchor: a later export differs where an object does.
  // Readers of YAML 1.1 take `no` for false: such texts are quoted.
  return stringify(Object.fromEntries(sections.filter(([, content]) => content.length > 0)), {
    ...{ lineWidth: 0, aliasDuplicateObjects: false, compat: 'yaml-1.1' },
  });
}

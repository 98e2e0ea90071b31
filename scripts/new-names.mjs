// Names and lists of the skeletons that `npm run new` writes.

export const pascalOf = (name) =>
  name.replace(/(?:^|-)([a-z0-9])/g, (_all, letter) => letter.toUpperCase());
export const camelOf = (name) => {
  const pascal = pascalOf(name);
  return pascal[0].toLowerCase() + pascal.slice(1);
};
export const titleOf = (name) => {
  const words = name.replaceAll('-', ' ');
  return words[0].toUpperCase() + words.slice(1);
};

/** Adds an import after the others, and an item at the end of a list. */
export function addTo(text, line, item, list, end = '\n];') {
  const imports = [...text.matchAll(/^(?:import .*|\} from .*);$/gm)];
  const last = imports.at(-1);
  if (!last || !text.includes(list)) throw new Error(`the list ${list} was not found`);
  const after = last.index + last[0].length;
  const withImport = line ? `${text.slice(0, after)}\n${line}${text.slice(after)}` : text;
  const close = withImport.indexOf(end, withImport.indexOf(list));
  return `${withImport.slice(0, close)}\n  ${item},${withImport.slice(close)}`;
}

/** Returns the lists of modules and screens with a feature. `read` returns their texts. */
export function registered(name, read) {
  const camel = camelOf(name);
  const modules = 'server/src/modules.ts';
  const screens = 'web/src/console/screens/index.ts';
  return {
    [modules]: addTo(
      read(modules),
      `import { ${camel} } from './features/${name}/index.ts';`,
      camel,
      'export const MODULES',
    ),
    [screens]: addTo(
      read(screens),
      `import { ${camel}Screens } from '../features/${name}/index.ts';`,
      `...${camel}Screens`,
      'export const SCREENS',
    ),
  };
}

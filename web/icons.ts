import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

/** The outlines and the filled shapes of the set: groups and paths, and how they are drawn, which is the same for every icon of a kind. */
const PART = /<path ([^<>]*)\/>|<g ([^<>]*)>|<\/g>/g;
const SHAPE = / ?\bd="([^"]+)"/;
const OUTLINE =
  'fill="none" stroke="currentColor" stroke-linecap="round" stroke-linejoin="round" stroke-width="2"';
const FILLED = 'fill="currentColor"';

/** What is drawn of an icon: the shapes of its paths, and whether they are filled. Undefined where it is drawn in a way of its own. */
function shapesOf(
  body: string,
): { readonly shapes: readonly string[]; readonly isFilled: boolean } | undefined {
  const shapes: string[] = [];
  const styles = new Set<string>();
  const rest = body.replace(PART, (_, path: string | undefined, group: string | undefined) => {
    const shape = SHAPE.exec(path ?? '')?.[1];
    if (shape) shapes.push(shape);
    styles.add((path ?? group ?? '').replace(SHAPE, '').trim());
    return '';
  });
  styles.delete('');
  const [style] = styles;
  return rest === '' &&
    shapes.length > 0 &&
    styles.size === 1 &&
    (style === OUTLINE || style === FILLED)
    ? { shapes, isFilled: style === FILLED }
    : undefined;
}

/** Makes `virtual:icon/NAME` a component that draws an icon of Tabler. Its set is one file, of which a page gets the shapes that it shows. */
export function icons(): Plugin {
  return {
    name: 'sallyport-icons',
    resolveId: (id) => (id.startsWith('virtual:icon/') ? `\0${id}` : undefined),
    async load(id) {
      const [, name] = /^\0virtual:icon\/(.+)$/.exec(id) ?? [];
      if (!name) return undefined;
      const { icons: set } = await import('@iconify-json/tabler');
      const icon = shapesOf(set.icons[name]?.body ?? '');
      if (!icon)
        this.error(
          `${name}: the set has no such icon, or one that web/icons.ts does not know how to draw`,
        );
      const maker = JSON.stringify(fileURLToPath(new URL('src/kit/icon.ts', import.meta.url)));
      const code = `import { ${icon.isFilled ? 'filled' : 'outline'} as make } from ${maker}; export default /* @__PURE__ */ make(${JSON.stringify(icon.shapes)});`;
      // A page that draws one icon does not need the others of the list that it imports from.
      return { code, moduleSideEffects: false };
    },
  };
}

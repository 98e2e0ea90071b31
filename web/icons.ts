import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

/** Groups and paths of an icon with their attributes; the same for every icon of a style. */
const PART = /<path ([^<>]*)\/>|<g ([^<>]*)>|<\/g>/g;
const SHAPE = / ?\bd="([^"]+)"/;
const OUTLINE =
  'fill="none" stroke="currentColor" stroke-linecap="round" stroke-linejoin="round" stroke-width="2"';
const FILLED = 'fill="currentColor"';

/** The paths of an icon, and its style. Undefined if the icon has an unusual structure. */
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

/**
 * Resolves `virtual:icon/NAME` to a component of one Tabler icon. The package holds all icons in
 * one file; a page loads only the shapes it uses.
 */
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
      // Without side effects, bundlers drop unused icons of a list that a page imports from.
      return { code, moduleSideEffects: false };
    },
  };
}

// Finds files that import each other in a circle, also by types and by dynamic imports: none of
// them can be understood or moved alone.
import { importGraph } from './imports.mjs';

/**
 * Circles that are known, each by its first file in alphabetical order. Nothing is added here; what
 * is fixed is removed.
 */
const KNOWN = new Set();

/** The groups of files that reach each other, by Tarjan's algorithm; each group is sorted. */
export function circlesOf(graph) {
  const indexes = new Map();
  const lowest = new Map();
  const stack = [];
  const groups = [];
  const visit = (file) => {
    indexes.set(file, indexes.size);
    lowest.set(file, indexes.get(file));
    stack.push(file);
    for (const next of graph.get(file) ?? []) {
      if (!graph.has(next)) continue;
      if (!indexes.has(next)) {
        visit(next);
        lowest.set(file, Math.min(lowest.get(file), lowest.get(next)));
      } else if (stack.includes(next))
        lowest.set(file, Math.min(lowest.get(file), indexes.get(next)));
    }
    if (lowest.get(file) !== indexes.get(file)) return;
    const group = stack.splice(stack.indexOf(file));
    if (group.length > 1 || graph.get(file).includes(file)) groups.push(group.sort());
  };
  for (const file of graph.keys()) if (!indexes.has(file)) visit(file);
  return groups;
}

/** Returns unknown circles, and known circles that no longer exist, one line each. */
export function findCircles() {
  const circles = circlesOf(
    importGraph('contract/src', 'packages', 'server/src', 'demo', 'web/src'),
  );
  const present = new Set(circles.map(([first]) => first));
  return [
    ...circles
      .filter(([first]) => !KNOWN.has(first))
      .map((files) => `import each other in a circle: ${files.join(', ')}`),
    ...[...KNOWN]
      .filter((first) => !present.has(first))
      .map((first) => `scripts/circles.mjs lists a circle that is gone: ${first}`),
  ];
}

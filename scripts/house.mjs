// npm run house: prints how large the house is and how far its features reach into other rooms.
// Each row has the count of today, the count when counting began, and the goal.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { circlesOf } from './circles.mjs';
import { filesBelow, importGraph, importsOf, isTest } from './imports.mjs';
import { ROOT, say } from './lib.mjs';
import { coreCharacters, optionalCharacters, productFiles } from './size.mjs';
import { projectFiles } from './source-files.mjs';
import { countHardSummaries } from './wording.mjs';

const read = (path) => readFileSync(join(ROOT, path), 'utf8');
const foldersIn = (path) =>
  readdirSync(join(ROOT, path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

const SERVER = 'server/src/features';
const CONSOLE = 'web/src/console/features';
const product = productFiles();

/** The features that only `server/src/modules.ts` imports. */
function removableFeatures() {
  const users = new Map(foldersIn(SERVER).map((name) => [name, new Set()]));
  for (const path of product.filter((file) => /\.tsx?$/.test(file)))
    for (const { file } of importsOf(path)) {
      const [, name] = new RegExp(`^${SERVER}/([^/]+)/`).exec(file ?? '') ?? [];
      if (name && !path.startsWith(`${SERVER}/${name}/`)) users.get(name)?.add(path);
    }
  return [...users].filter(([, by]) => [...by].join() === 'server/src/modules.ts').length;
}

const camel = (name) => name[0].toUpperCase() + name.slice(1);

/**
 * The product files outside of a feature that have its name as a word. Files of `other` use the
 * word for another concept.
 */
function filesNaming(name, other = '') {
  const word = new RegExp(`(?<![A-Za-z])${name}(?![a-z])|${camel(name)}(?![a-z])`);
  // A landed migration stays as it is, so it is no place to change with the feature.
  const isElsewhere = (path) =>
    !path.split('/').some((part) => part === name || part === other) &&
    !path.startsWith('scripts/') &&
    !path.startsWith('server/src/migrations/');
  return product.filter((path) => isElsewhere(path) && word.test(read(path))).length;
}

const roomOf = (path) => new RegExp(`^${CONSOLE}/([^/]+)/`).exec(path)?.[1];

/** Imports of a file of a console feature from outside of it, except of its `index.ts`. */
function importsPastFaces() {
  return filesBelow('web/src')
    .filter((path) => !isTest(path))
    .flatMap((path) => importsOf(path).map(({ file }) => [roomOf(path), file]))
    .filter(([from, file]) => {
      const to = roomOf(file ?? '');
      return to !== undefined && to !== from && file !== `${CONSOLE}/${to}/index.ts`;
    }).length;
}

/** The rooms of the console with the rooms that each imports. */
function consoleRooms() {
  const folderOf = (path) => /^web\/src\/console\/(?:([^/]+)\/)?/.exec(path);
  const roomOfFile = (path) => {
    const folder = folderOf(path);
    return roomOf(path) ?? (folder ? (folder[1] ?? 'console') : undefined);
  };
  const rooms = new Map();
  for (const [path, files] of importGraph('web/src/console')) {
    const from = roomOfFile(path);
    const others = files.map(roomOfFile).filter((to) => to !== undefined && to !== from);
    rooms.set(from, [...new Set([...(rooms.get(from) ?? []), ...others])]);
  }
  return rooms;
}

/** The longest chain of console rooms that import each other; rooms of a circle share a floor. */
function consoleFloors() {
  const rooms = consoleRooms();
  const circles = circlesOf(rooms);
  const circleOf = (room) => circles.find((rest) => rest.includes(room)) ?? [room];
  const floors = new Map();
  const floorOf = ([first, ...rest]) => {
    const known = floors.get(first);
    if (known !== undefined) return known;
    const circle = [first, ...rest];
    const below = circle
      .flatMap((room) => rooms.get(room) ?? [])
      .filter((room) => !circle.includes(room));
    const floor = 1 + Math.max(0, ...below.map((room) => floorOf(circleOf(room))));
    floors.set(first, floor);
    return floor;
  };
  return Math.max(...[...rooms.keys()].map((room) => floorOf(circleOf(room))));
}

const roomsInCircles = () => circlesOf(consoleRooms()).flat().length;

/** Server features with the same folder name in the console. */
function equalNames() {
  const there = new Set(foldersIn(CONSOLE));
  return foldersIn(SERVER).filter((name) => there.has(name)).length;
}

const decisions = () => projectFiles(/^docs\/adr\/\d{4}-.*\.md$/).length;

/** Each row: title, count, the count of 29 November 2026, goal. */
const ROWS = [
  ['server features that one line removes', removableFeatures, 14, '≥ 26'],
  ['files elsewhere that name saml', () => filesNaming('saml'), 25, '≤ 3'],
  [
    'files elsewhere that name emergency',
    () => filesNaming('emergency', 'change-control'),
    84,
    '≤ 3',
  ],
  ['files elsewhere that name cas', () => filesNaming('cas'), 19, '≤ 3'],
  ['imports past a face of the console', importsPastFaces, 194, '0'],
  ['floors of the console', consoleFloors, 10, '≤ 12'],
  ['rooms of the console in circles', roomsInCircles, 21, '0'],
  ['features with one name in server and console', equalNames, 22, 'all'],
  ['core, thousand characters', coreCharacters, 9_928, '≤ 6,950'],
  ['optional features, thousand characters', optionalCharacters, 0, 'no limit'],
  ['decisions', decisions, 94, '≤ 60'],
  ['SQL files', () => projectFiles(/\.sql$/).length, 116, '≤ 12 in the core'],
  ['route summaries that are hard to read', countHardSummaries, 78, '0'],
];

for (const [title, count, start, goal] of ROWS)
  say(`${title.padEnd(46)} ${String(count()).padStart(6)}   start ${start}, goal ${goal}`);

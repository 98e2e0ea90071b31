// Makes the files of a release in dist/package, for scripts/package.mjs. The pinned Node runs it:
// another one compresses to other bytes.
import { spawnSync } from 'node:child_process';
import { createPrivateKey, sign } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { commitOf } from '../../scripts/build.mjs';
import { fail, ROOT, say, sayProgress } from '../../scripts/lib.mjs';
import { createSbom, shippedPackages } from '../../scripts/sbom.mjs';
import { compressed, sha256, tarOf } from './archive.mjs';
import { debOf } from './deb.mjs';
import { imageOf } from './image.mjs';
import { basePackages } from './image-base.mjs';
import { buildParts, makeTree } from './tree.mjs';
import { tryPackages } from './verify.mjs';

/** Names of the processors in Debian and in images. */
const ARCHITECTURES = { 'linux-x64': 'amd64', 'linux-arm64': 'arm64' };

const MOST_FILES = 3_000;
const MOST_BYTES = 230e6;

const git = (...words) => spawnSync('git', words, { cwd: ROOT, encoding: 'utf8' });

/**
 * Names the release. A commit without the tag of its version is a snapshot, which Debian sorts
 * before that version.
 */
function releaseOf() {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const commit = commitOf();
  if (commit === undefined) fail('A package is made from a commit: this folder has no git.');
  const epoch = Number(process.env.SOURCE_DATE_EPOCH ?? git('log', '-1', '--format=%ct').stdout);
  const day = new Date(epoch * 1_000).toISOString().slice(0, 10).replaceAll('-', '');
  const isTagged = git('describe', '--exact-match', '--tags', `--match=v${version}`).status === 0;
  const snapshot = `~git${day}.${commit.replace('-', '+')}`;
  const isRelease = isTagged && !commit.endsWith('-dirty');
  return { version, commit, epoch, name: isRelease ? version : `${version}${snapshot}` };
}

/** Makes all files of one platform in `target`. Returns their names. */
function packPlatform(platform, { target, work, parts, release }) {
  const { name, epoch } = release;
  const tree = join(work, platform);
  const { files, bytes } = makeTree(tree, parts, { platform, ...release });
  say(`${platform}: ${files} files, ${Math.round(bytes / 1e6)} MB`);
  if (files > MOST_FILES || bytes > MOST_BYTES)
    fail(`A package has at most ${MOST_FILES} files and ${MOST_BYTES / 1e6} MB.`);
  const architecture = ARCHITECTURES[platform];
  const written = [];
  const write = (file, data) => {
    writeFileSync(join(target, file), data);
    written.push(file);
    say(`${file}: ${(data.length / 1e6).toFixed(1)} MB`);
  };
  const prefix = `sallyport-${name}`;
  write(`${prefix}-${platform}.tar.gz`, compressed(tarOf(tree, { prefix, epoch })));
  const deb = debOf(tree, join(work, 'deb'), { debVersion: name, architecture, epoch });
  write(`sallyport_${name}_${architecture}.deb`, deb);
  const image = imageOf(tree, join(work, 'image'), { architecture, ...release });
  write(`${prefix}-image-${architecture}.tar`, image);
  return written;
}

/** Returns the private key of a file. Ends the program if it is of another kind. */
function readSigningKey(path) {
  let key;
  try {
    key = createPrivateKey(readFileSync(path));
  } catch {
    fail(`${path} is not a private key in PEM form.`);
  }
  if (key.asymmetricKeyType !== 'ed25519') fail(`${path} is not an Ed25519 key.`);
  return key;
}

/**
 * Writes SHA256SUMS of files in a folder, and with a key SHA256SUMS.sig. Returns the sums.
 */
export function writeSums(folder, files, key) {
  const sums = files
    .toSorted()
    .map((file) => `${sha256(readFileSync(join(folder, file)))}  ${file}\n`)
    .join('');
  writeFileSync(join(folder, 'SHA256SUMS'), sums);
  if (key) writeFileSync(join(folder, 'SHA256SUMS.sig'), sign(null, Buffer.from(sums), key));
  else sayProgress('Not signed: --sign-with names no key.');
  return sums;
}

/** Makes the files of all platforms in `target`, with sums and signature. */
function makePackages(target, platforms, key) {
  const release = releaseOf();
  rmSync(target, { recursive: true, force: true });
  const work = join(target, 'work');
  mkdirSync(work, { recursive: true });
  const parts = join(work, 'parts');
  buildParts(parts);
  const written = platforms.flatMap((platform) =>
    packPlatform(platform, { target, work, parts, release }),
  );
  const client = `sallyctl-${release.name}.mjs`;
  copyFileSync(join(parts, 'sallyctl/dist/sallyctl.mjs'), join(target, client));
  const debian = platforms.flatMap((platform) => basePackages(ARCHITECTURES[platform]));
  const sbom = createSbom(shippedPackages(), debian);
  writeFileSync(join(target, 'sbom.cdx.json'), `${JSON.stringify(sbom, undefined, 2)}\n`);
  const sums = writeSums(target, [...written, client, 'sbom.cdx.json'], key);
  return { release, sums };
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      platform: { type: 'string', default: `${process.platform}-${process.arch}` },
      'sign-with': { type: 'string' },
      verify: { type: 'boolean', default: false },
    },
  });
  const platforms = values.platform.split(',');
  for (const platform of platforms)
    if (!ARCHITECTURES[platform])
      fail(`${platform} is not one of ${Object.keys(ARCHITECTURES).join(', ')}.`);
  const keyFile = values['sign-with'];
  const key = keyFile === undefined ? undefined : readSigningKey(keyFile);
  const target = join(ROOT, 'dist/package');
  const { release, sums } = makePackages(target, platforms, key);
  if (values.verify) {
    const again = makePackages(`${target}-again`, platforms, key);
    if (again.sums !== sums) fail(`Two runs differ:\n${sums}\n${again.sums}`);
    rmSync(`${target}-again`, { recursive: true });
    say('Two runs give the same bytes.');
    tryPackages(target, release);
  }
}

// The image of a container, as an OCI image layout in a tar file: three layers, a configuration and
// an index. Written without docker: they are JSON and tar files named by their hashes.
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compressed, sha256, tarOf } from './archive.mjs';
import { ACCOUNT, makeBase } from './image-base.mjs';

const TYPE = 'application/vnd.oci.image';
const PROGRAM = 'usr/lib/sallyport';
const DATA = 'var/lib/sallyport';
const PROCESSORS = {
  amd64: { architecture: 'amd64' },
  arm64: { architecture: 'arm64', variant: 'v8' },
};

/** Tags have no `~` and no `+`. */
const tagOf = (name) => name.replaceAll(/[^\w.-]/g, '-');

/** Returns the command of the image, with its account, ports and volume. */
function configurationOf({ version, commit, created }) {
  return {
    User: `${ACCOUNT}:${ACCOUNT}`,
    Env: [
      'PATH=/usr/bin:/bin',
      'LANG=C.UTF-8',
      `SALLYPORT_DATA_DIR=/${DATA}`,
      // Loopback of a container is its own: publish the ports to where they should be reached.
      'SALLYPORT_HTTP_HOST=0.0.0.0',
      'SALLYPORT_SSH_HOST=0.0.0.0',
    ],
    Entrypoint: ['/usr/bin/sallyport'],
    Cmd: ['start'],
    WorkingDir: `/${DATA}`,
    ExposedPorts: { '8080/tcp': {}, '2222/tcp': {} },
    Volumes: { [`/${DATA}`]: {} },
    StopSignal: 'SIGTERM',
    Labels: {
      'org.opencontainers.image.title': 'Sallyport',
      'org.opencontainers.image.version': version,
      'org.opencontainers.image.revision': commit,
      'org.opencontainers.image.created': created,
      'org.opencontainers.image.licenses': 'GPL-2.0-or-later',
    },
  };
}

/** Returns the tar files of the layers, the lowest first. */
function layersOf(tree, work, { architecture, epoch, fillBase }) {
  const [base, data] = [join(work, 'base'), join(work, 'data')];
  for (const folder of [base, data]) mkdirSync(folder, { recursive: true });
  fillBase(base, architecture);
  chmodSync(base, 0o755);
  chmodSync(data, 0o700);
  return [
    tarOf(base, { epoch }),
    tarOf(tree, { prefix: PROGRAM, epoch }),
    tarOf(data, { prefix: DATA, epoch, owner: ACCOUNT }),
  ];
}

/**
 * Returns the bytes of the image of a tree. `work` is a folder for its files, `fillBase` writes the
 * files of the lowest layer.
 */
export function imageOf(tree, work, { fillBase = makeBase, ...release }) {
  rmSync(work, { recursive: true, force: true });
  const { name, epoch, architecture } = release;
  const layout = join(work, 'layout');
  mkdirSync(join(layout, 'blobs/sha256'), { recursive: true });
  const put = (mediaType, data) => {
    const hash = sha256(data);
    writeFileSync(join(layout, 'blobs/sha256', hash), data);
    return { mediaType: `${TYPE}.${mediaType}`, digest: `sha256:${hash}`, size: data.length };
  };
  const putJson = (mediaType, value) => put(mediaType, Buffer.from(JSON.stringify(value)));
  const tars = layersOf(tree, work, { architecture, epoch, fillBase });
  const layers = tars.map((tar) => put('layer.v1.tar+gzip', compressed(tar)));
  const created = new Date(epoch * 1_000).toISOString();
  const platform = { ...PROCESSORS[architecture], os: 'linux' };
  const config = putJson('config.v1+json', {
    created,
    ...platform,
    config: configurationOf({ ...release, created }),
    rootfs: { type: 'layers', diff_ids: tars.map((tar) => `sha256:${sha256(tar)}`) },
  });
  const versions = { schemaVersion: 2 };
  const manifest = putJson('manifest.v1+json', {
    ...versions,
    mediaType: `${TYPE}.manifest.v1+json`,
    config,
    layers,
  });
  const reference = `sallyport:${tagOf(name)}`;
  const annotations = { 'org.opencontainers.image.ref.name': reference };
  const pathOf = ({ digest }) => `blobs/${digest.replace(':', '/')}`;
  const files = {
    'oci-layout': { imageLayoutVersion: '1.0.0' },
    'index.json': {
      ...versions,
      mediaType: `${TYPE}.index.v1+json`,
      manifests: [{ ...manifest, platform, annotations }],
    },
    // `docker load` before version 25 reads only this file.
    'manifest.json': [
      { Config: pathOf(config), RepoTags: [reference], Layers: layers.map(pathOf) },
    ],
  };
  for (const [path, value] of Object.entries(files))
    writeFileSync(join(layout, path), JSON.stringify(value));
  return tarOf(layout, { epoch, mode: 'u=rwX,go=rX' });
}

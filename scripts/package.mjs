// npm run package: makes dist/package with a tarball, a Debian package, an image, a bill of
// materials, sums and, with a key, a signature. The same commit gives the same bytes. Options:
//   --platform=linux-x64,linux-arm64   platforms; default: this one
//   --sign-with=KEYFILE                signs SHA256SUMS with a private Ed25519 key (PEM)
//   --verify                           makes everything twice, compares, and starts the result
import { join } from 'node:path';
import { ensureInstalled } from './install.mjs';
import { become, NODE, ROOT } from './lib.mjs';

ensureInstalled();
become(NODE, [join(ROOT, 'packaging/build/package.mjs'), ...process.argv.slice(2)]);

// npm run build: installs the packages, builds pages, server and sallyctl, and starts nothing. The
// account of the server then needs no right to write this folder.
import { ensureBuilt } from './build.mjs';
import { ensureInstalled } from './install.mjs';

ensureInstalled();
ensureBuilt();

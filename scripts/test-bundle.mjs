// Before tests that start the server: they start what `npm start` starts, made of the sources as
// they are.
import { ensureBundled } from './lib.mjs';

export default () => ensureBundled();

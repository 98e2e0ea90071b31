// Before tests that start the server: they start what `npm start` starts, made of the sources as
// they are.
import { ensureBundled } from './build.mjs';

export const setup = () => ensureBundled();

/**
 * ssh2 loads native ciphers when it finds them built in node_modules. Node aborts the whole process when V8 collects such a cipher outside of
 * JavaScript (docs/adr/0016), so they must not load even where an older installation left them behind. ssh2 then uses the ciphers of Node itself.
 */
const REFUSED = /[\\/](sshcrypto|cpufeatures)\.node$/;

const load = process.dlopen;
process.dlopen = (module: object, filename: string, flags?: number): void => {
  if (REFUSED.test(filename))
    throw new Error(`${filename} is a native part of ssh2, which is not used`);
  Reflect.apply(
    load,
    process,
    flags === undefined ? [module, filename] : [module, filename, flags],
  );
};

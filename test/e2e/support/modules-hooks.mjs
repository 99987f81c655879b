/** The command of the modules in `dist`, where the bundle of the same modules is asked for. */
export function resolve(specifier, context, next) {
  return next(specifier.replace('/dist/program/phs.js', '/dist/cli/phs.js'), context);
}

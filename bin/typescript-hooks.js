import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { transformSync } from '@swc/core';
import { options } from './build/transpile.js';

const SOURCE = /\.tsx?$/;

/** Sources name each other as they will be called once they are compiled. */
export function resolve(specifier, context, next) {
  if (specifier.startsWith('.') && SOURCE.test(context.parentURL ?? '')) {
    const sources = ['.ts', '.tsx'].map((ending) => new URL(specifier.replace(/\.js$/, ending), context.parentURL));
    const source = sources.find((each) => existsSync(each));
    if (source) return { url: source.href, format: 'module', shortCircuit: true };
  }
  return next(specifier, context);
}

export function load(url, context, next) {
  if (!SOURCE.test(url) || url.includes('/node_modules/')) return next(url, context);
  const filename = fileURLToPath(url);
  const { code } = transformSync(readFileSync(filename, 'utf8'), {
    ...options(filename),
    filename,
    sourceMaps: 'inline',
  });
  return { format: 'module', source: code, shortCircuit: true };
}

import { registerHooks } from 'node:module';
import { replaceOnce, VARIANTS } from './variants.ts';

/**
 * Loaded ahead of the simulation (`node --import`), this breaks the program on purpose: the source
 * text of one file is changed as the variant named by SIMULATE_VARIANT says.
 */
const name = process.env.SIMULATE_VARIANT ?? '';
const variant = VARIANTS[name];
if (variant === undefined) throw new Error(`no variant ${name}`);

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (!url.endsWith(`/${variant.file}`)) return loaded;
    const source = replaceOnce(String(loaded.source), variant);
    if (source === null) {
      throw new Error(`${variant.file} does not have the text of the variant ${name} once`);
    }
    return { ...loaded, source };
  },
});

import { fileURLToPath } from 'node:url';

/** Where `npm run build` puts the inspector's page; beside the program, also where that is one file. */
export const PAGE_FOLDER = fileURLToPath(new URL('../dist/inspector', import.meta.url));

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** An answer that is always the same. */
export interface Asset {
  type: string;
  plain: Buffer;
  gzipped: Buffer;
}

/** The built page is not there; one line. */
export class AssetsError extends Error {}

const FILES = [
  { path: '/', file: 'index.html', type: 'text/html; charset=utf-8' },
  { path: '/app.js', file: 'app.js', type: 'text/javascript; charset=utf-8' },
  { path: '/app.css', file: 'app.css', type: 'text/css; charset=utf-8' },
];

/** The built page by the paths of its parts. Throws AssetsError where it is not there. */
export function readAssets(folder: string): Map<string, Asset> {
  return new Map(
    FILES.map(({ path, file, type }) => [path, assetOf(type, readAsset(join(folder, file)))]),
  );
}

export function assetOf(type: string, plain: Buffer): Asset {
  return { type, plain, gzipped: gzipSync(plain) };
}

function readAsset(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new AssetsError(
      `the inspector's page is not built (${path}: ${code}); npm run build builds it`,
    );
  }
}

import { AssetsError, readAssets } from '../inspector/assets.ts';
import type { Contents } from '../inspector/routes.ts';
import { type Inspector, InspectorError, startInspector } from '../inspector/server.ts';
import { PAGE_FOLDER } from '../page-folder.ts';
import { INSPECTOR_ADDRESS, parseAddress } from './address.ts';
import { UsageError } from './usage.ts';

export interface Asked {
  /** `inspect --listen`, for messages. */
  flag: string;
  /** HOST:PORT; null: not given, and then the usual one or any free port. */
  address: string | null;
  /** Where the built page is; not given: beside the program. */
  pageFolder?: string;
}

/** Starts the inspector. Throws UsageError, also where the page is not built. */
export async function openInspector(
  { flag, address, pageFolder = PAGE_FOLDER }: Asked,
  contents: Omit<Contents, 'assets'>,
): Promise<Inspector> {
  const { host, port } = parseAddress(flag, address ?? INSPECTOR_ADDRESS);
  try {
    const assets = readAssets(pageFolder);
    return await startInspector(
      { host, port, isPortFree: address === null },
      { ...contents, assets },
    );
  } catch (error) {
    if (error instanceof AssetsError) throw new UsageError(error.message);
    if (error instanceof InspectorError) throw new UsageError(`${flag}: ${error.message}`);
    throw error;
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Resolves when the process is told to stop. A second signal has its own effect. */
export function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      for (const name of SIGNALS) process.off(name, stop);
      resolve();
    };
    for (const name of SIGNALS) process.once(name, stop);
  });
}

import { parseArgs } from 'node:util';
import { createFeed, type Feed } from '../inspector/feed.ts';
import { historyOf } from '../inspector/history.ts';
import { mergeRows } from '../inspector/merge.ts';
import type { Source } from '../inspector/rows.ts';
import { version } from '../version.ts';
import { historyName, noHistory, readHistory } from './history-file.ts';
import { openInspector, untilStopped } from './inspector.ts';
import type { Out } from './main.ts';
import { UsageError } from './usage.ts';

/**
 * `inspect FILE...`: shows histories until it is told to stop, then 0. Throws UsageError.
 * `pageFolder`: where the built page is; not given: beside the program.
 */
export async function inspect(
  args: string[],
  out: Out,
  _err?: Out,
  pageFolder?: string,
): Promise<number> {
  const { files, listen } = flags(args);
  const { feed, source } = contentsOf(files);
  const inspector = await openInspector(
    {
      flag: 'inspect --listen',
      address: listen,
      ...(pageFolder === undefined ? {} : { pageFolder }),
    },
    { feed, source: () => source },
  );
  const stopped = untilStopped();
  out.write(`Inspector: ${inspector.url} (Ctrl-C ends it)\n`);
  await stopped;
  await inspector.close();
  return 0;
}

function contentsOf(files: string[]): { feed: Feed; source: Omit<Source, 'token'> } {
  const histories = files.map((file) => {
    const name = historyName(file);
    const history = historyOf(name, readHistory(file));
    if (history.runs === 0 && history.rows.every(({ kind }) => kind !== 'divergence')) {
      throw noHistory(name);
    }
    return history;
  });
  const feed = createFeed();
  for (const row of mergeRows(histories.map(({ rows }) => rows))) feed.append(row);
  feed.end();
  const source: Omit<Source, 'token'> = {
    mode: 'files',
    version: version(),
    title: files.map(historyName).join(', '),
    sources: histories.flatMap(({ sources }) => sources),
    isPaced: false,
    isPaused: false,
  };
  return { feed, source };
}

function flags(args: string[]): { files: string[]; listen: string | null } {
  const { values, positionals: files } = parse(args);
  if (files.length === 0) {
    throw new UsageError('inspect: name the histories to show, or - for standard input');
  }
  const twice = files.find((file, index) => files.indexOf(file) !== index);
  if (twice !== undefined) throw new UsageError(`inspect: ${twice} is named twice; once is enough`);
  return { files, listen: values.listen ?? null };
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: { listen: { type: 'string' } }, allowPositionals: true });
  } catch (error) {
    throw new UsageError(`inspect: ${(error as Error).message.split('. ')[0]}; see --help`);
  }
}

import { setImmediate } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createFeed, type Feed } from '../inspector/feed.ts';
import { type History, isHistory } from '../inspector/history.ts';
import { mergeSteps } from '../inspector/merge.ts';
import { type Opened, openTexts, progressText } from '../inspector/opened.ts';
import type { Source } from '../inspector/rows.ts';
import { inSlices, type Turns } from '../inspector/slices.ts';
import { version } from '../version.ts';
import { historyName, noHistory, readHistory } from './history-file.ts';
import { openInspector, untilStopped } from './inspector.ts';
import type { Out } from './main.ts';
import { progressOn } from './progress.ts';
import { UsageError } from './usage.ts';

/**
 * `inspect FILE...`: shows histories until it is told to stop, then 0. It says where as soon as it
 * is clear that all are histories; the most of them is read only then. Throws UsageError.
 * `pageFolder`: where the built page is; not given: beside the program.
 */
export async function inspect(
  args: string[],
  out: Out,
  err: Out,
  pageFolder?: string,
): Promise<number> {
  const { files, listen } = flags(args);
  const tell = progressOn(err);
  const opened = openTexts(
    files.map((file) => ({ name: historyName(file), text: readHistory(file) })),
  );
  const begun = opened.map((one, at) => begin(one, (step) => tell(progressText(opened, at, step))));
  const feed = createFeed();
  const source: Omit<Source, 'token'> = {
    mode: 'files',
    version: version(),
    title: files.map(historyName).join(', '),
    sources: [],
    isPaced: false,
    isPaused: false,
  };
  const inspector = await openInspector(
    {
      flag: 'inspect --listen',
      address: listen,
      ...(pageFolder === undefined ? {} : { pageFolder }),
    },
    { feed, source: () => source },
  );
  const stopping = new AbortController();
  const stopped = untilStopped().then(() => stopping.abort());
  out.write(`Inspector: ${inspector.url} (Ctrl-C ends it)\n`);
  const turns: Turns = {
    nowMs: () => performance.now(),
    pause: () => setImmediate(undefined, { signal: stopping.signal }),
  };
  const onProgress = (text: string) => {
    tell(text);
    feed.say('progress', { text });
  };
  try {
    source.sources = await fill(feed, opened, begun, turns, onProgress);
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
  }
  await stopped;
  await inspector.close();
  return 0;
}

/** Reads until it is clear that a file is a history; null: not to its end. */
function begin(
  { name, reading }: Opened,
  onStep: (step: { line: number; isHistory: boolean }) => void,
): History | null {
  for (;;) {
    const { done, value } = reading.next();
    if (done) {
      if (!isHistory(value)) throw noHistory(name);
      return value;
    }
    if (value.isHistory) return null;
    onStep(value);
  }
}

/** Reads the rest of the files into the feed; gives what they are called by. */
async function fill(
  feed: Feed,
  opened: readonly Opened[],
  begun: readonly (History | null)[],
  turns: Turns,
  onProgress: (text: string) => void,
): Promise<Source['sources']> {
  const histories: History[] = [];
  for (const [at, { reading }] of opened.entries()) {
    histories.push(
      begun[at] ??
        (await inSlices(reading, turns, (step) => onProgress(progressText(opened, at, step)))),
    );
  }
  const rows = await inSlices(mergeSteps(histories.map((history) => history.rows)), turns);
  feed.appendPast(rows);
  feed.end();
  return histories.flatMap(({ sources }) => sources);
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

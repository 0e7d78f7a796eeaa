import { type Follower, followFile } from './output.ts';

/** How often an output is looked at, ms. */
const FOLLOW_MS = 500;

export interface Progress {
  begin(): void;
  /** Gives the rest. */
  end(): void;
  stop(): void;
}

/** Gives the lines of the files as they are written, one after the other. */
export function showProgress(
  paths: string[],
  show: (line: string) => void,
  followMs = FOLLOW_MS,
): Progress {
  let files: Follower[] | null = null;
  let timer: NodeJS.Timeout | undefined;
  const give = (atEnd: boolean) => {
    for (const file of files ?? []) {
      for (const line of file.read(atEnd)) show(line);
    }
  };
  const stop = () => clearInterval(timer);
  return {
    stop,
    begin() {
      if (files !== null) return;
      files = paths.map(followFile);
      timer = setInterval(() => give(false), followMs);
    },
    end() {
      stop();
      give(true);
    },
  };
}

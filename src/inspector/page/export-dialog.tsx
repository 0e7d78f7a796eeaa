import { Dialog } from './dialog.tsx';
import { type File, hasEndedRun, historyFile, journalFile } from './export.ts';
import type { Session } from './session.ts';
import { plural } from './words.ts';

/** One line for each node: its journal, and its whole runs as a test. */
export function ExportDialog({ session, onClose }: { session: Session; onClose: () => void }) {
  return (
    <Dialog label="Download" onClose={onClose}>
      <h2>Download</h2>
      <p class="muted">
        A journal can be shown again here and by <code>host-upgrades replay</code>. A test holds the
        whole runs; put into <code>test/histories/</code>, it is replayed by <code>npm test</code>.
      </p>
      <ul class="exports">
        {[...session.history.streams.values()].map((stream) => {
          const hasTest = hasEndedRun(stream);
          return (
            <li key={stream.key}>
              <span>
                <b>{stream.node}</b>{' '}
                <span class="muted">
                  {stream.source === stream.node ? '' : `${stream.source}, `}
                  {plural(stream.items.length, 'record')}
                </span>
              </span>
              <button type="button" onClick={() => download(journalFile(stream))}>
                Download journal
              </button>
              <button
                type="button"
                disabled={!hasTest}
                title={hasTest ? undefined : 'No run has ended in this history'}
                onClick={() => download(historyFile(stream))}
              >
                Save as test
              </button>
            </li>
          );
        })}
      </ul>
    </Dialog>
  );
}

function download(file: File | null): void {
  if (file === null) return;
  const { name, text } = file;
  const url = URL.createObjectURL(new Blob([text], { type: 'application/x-ndjson' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

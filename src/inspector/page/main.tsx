import { render } from 'preact';
import { App } from './app.tsx';
import { fetchJson, fetchSource, Live } from './live.ts';
import { type Machine, Session } from './session.ts';
import { startWork } from './work.ts';
import './base.css';
import './layout.css';
import './timeline.css';
import './chart.css';
import './panes.css';
import './fleet.css';

const root = document.getElementById('app') as HTMLElement;
try {
  const [machine, source] = await Promise.all([fetchJson<Machine>('/machine.json'), fetchSource()]);
  const session = new Session(machine);
  startWork(session);
  render(<App session={session} live={new Live(session, source)} />, root);
} catch (error) {
  root.textContent = `The inspector could not be loaded: ${(error as Error).message}. Is it still running? Then load this page again.`;
}

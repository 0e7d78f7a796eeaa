import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { isRecord, type JournalRecord } from '../../src/journal/record.ts';
import { nodeFlags, SERVICE_ACCOUNT_VARIABLE } from './bundle.ts';
import { SERVICE_ACCOUNT } from './credentials.ts';
import type { Host } from './host.ts';
import type { Answered, Question } from './host-words.ts';

/** One node's agent: a process of the program, and what starts it again, as a kubelet does. */
export interface Agent {
  name: string;
  /** Its journal's folder, its log, its credentials. */
  folder: string;
  isRunning(): boolean;
  /** Of its process; null: there is none. */
  pid(): number | null;
  /** A process starts now, or `afterMs` later. */
  start(afterMs?: number): void;
  /** SIGKILL; another process starts `downMs` later, null: when it is told to. */
  kill(downMs: number | null): void;
  /** SIGTERM; another process starts `downMs` after its end. */
  restart(downMs: number): void;
  /** SIGTERM without another process; resolves with its exit code or signal. */
  retire(): Promise<number | string>;
  pause(): void;
  resume(): void;
  /** It is killed, and its state path is another one from then on. */
  wipe(downMs: number): void;
  starts(): number;
  close(): Promise<void>;
}

export interface AgentPorts {
  name: string;
  folder: string;
  /** The program as one file. */
  bundle: string;
  /** Of the way to the API server. */
  port: number;
  flags: readonly string[];
  host: Host;
  onRecord(record: JournalRecord): void;
  /** Anything else that it says. */
  onText(text: string): void;
  /** The API server's answer, where it is no good one. */
  onAnswer(answer: string): void;
  onAway(): void;
  onBack(): void;
  /** Its state path is gone. */
  onForget(): void;
  /** A process has ended and nobody had told it to. */
  onExit(code: number | string, text: string): void;
}

/** Of Node, as the image has them. */
const NODE_FLAGS = nodeFlags();
/** As the DaemonSet has it. */
const GRACE_MS = 15_000;
/** Between a process that gave up and the next one. */
const CRASH_MS = 1_500;
const TAIL_CHARS = 4_000;

interface Running {
  child: ChildProcess;
  closed: Promise<unknown>;
  isTold: boolean;
  isPaused: boolean;
  /** It has written a record, and so is at work. */
  isAtWork: boolean;
  text: string;
}

export function createAgent(ports: AgentPorts): Agent {
  const { name, folder, host } = ports;
  const statePath = join(folder, 'state');
  mkdirSync(folder, { recursive: true });
  const log = openSync(join(folder, 'log.ndjson'), 'a');
  let current: Running | null = null;
  let timer: NodeJS.Timeout | undefined;
  let starts = 0;
  let losses = 0;
  let isClosed = false;

  const startIn = (afterMs: number) => {
    clearTimeout(timer);
    timer = setTimeout(start, afterMs);
  };
  const start = () => {
    // One that is down starts it when it is up again.
    if (isClosed || current !== null || !host.isUp()) return;
    starts += 1;
    const program = [...NODE_FLAGS, ports.bundle, 'run', ...flagsOf(ports, statePath)];
    const child = spawn(process.execPath, program, {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // A Ctrl-C in a terminal is for the one who started them all.
      detached: true,
      env: {
        PATH: process.env.PATH,
        TZ: 'UTC',
        KUBERNETES_SERVICE_HOST: '127.0.0.1',
        KUBERNETES_SERVICE_PORT: String(ports.port),
        [SERVICE_ACCOUNT_VARIABLE]: join(folder, 'service-account'),
      },
    });
    const running: Running = {
      child,
      closed: once(child, 'close'),
      isTold: false,
      isPaused: false,
      isAtWork: false,
      text: '',
    };
    current = running;
    child.on('message', (message: Question | Answered) => {
      if ('answered' in message) return ports.onAnswer(message.answered);
      host.answer(message, (reply) => {
        // A killed process hears nothing; the error of sending to it is its end's.
        if (child.connected) child.send(reply, () => {});
      });
    });
    for (const stream of [child.stdout, child.stderr]) {
      if (stream) createInterface({ input: stream }).on('line', (line) => onLine(running, line));
    }
    child.once('close', (code, signal) => onClose(running, code ?? signal ?? 'unknown'));
  };
  const onLine = (running: Running, line: string) => {
    writeSync(log, `${line}\n`);
    const { record, text } = parseLine(line);
    if (record === null) {
      running.text = `${running.text}${text}\n`.slice(-TAIL_CHARS);
      ports.onText(text);
      return;
    }
    if (!running.isAtWork && !running.isTold) {
      running.isAtWork = true;
      ports.onBack();
    }
    ports.onRecord(record);
  };
  const onClose = (running: Running, code: number | string) => {
    if (current === running) current = null;
    ports.onAway();
    if (running.isTold || isClosed) return;
    ports.onExit(code, running.text);
    startIn(CRASH_MS);
  };
  const tell = (signal: NodeJS.Signals): Running | null => {
    if (current === null) return null;
    current.isTold = true;
    current.child.kill(signal);
    if (signal === 'SIGKILL') {
      ports.onAway();
      current = null;
    }
    return current;
  };
  const kill = (downMs: number | null) => {
    tell('SIGKILL');
    clearTimeout(timer);
    if (downMs !== null) startIn(downMs);
  };
  /** SIGTERM, and SIGKILL to one that does not end; its exit code or signal. */
  const terminate = async (): Promise<number | string> => {
    clearTimeout(timer);
    const running = tell('SIGTERM');
    if (running === null) return 0;
    const { child } = running;
    const killing = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
    await running.closed;
    clearTimeout(killing);
    return child.exitCode ?? child.signalCode ?? 'unknown';
  };

  return {
    name,
    folder,
    isRunning: () => current !== null,
    pid: () => current?.child.pid ?? null,
    start: (afterMs = 0) => startIn(afterMs),
    kill,
    restart: (downMs) => void terminate().then(() => startIn(downMs)),
    retire: terminate,
    pause() {
      if (current === null || current.isPaused) return;
      current.isPaused = true;
      current.child.kill('SIGSTOP');
      ports.onAway();
    },
    resume() {
      if (current === null || !current.isPaused) return;
      current.isPaused = false;
      current.child.kill('SIGCONT');
      if (current.isAtWork) ports.onBack();
    },
    wipe(downMs) {
      const ended = current?.closed;
      kill(null);
      losses += 1;
      const lost = join(folder, `state-lost-${losses}`);
      void Promise.resolve(ended).then(() => {
        if (existsSync(statePath)) renameSync(statePath, lost);
        ports.onForget();
        startIn(downMs);
      });
    },
    starts: () => starts,
    async close() {
      isClosed = true;
      clearTimeout(timer);
      const ended = current?.closed;
      tell('SIGKILL');
      await ended;
      closeSync(log);
    },
  };
}

function flagsOf({ name, flags }: AgentPorts, statePath: string): string[] {
  return [
    `--kube-namespace=${SERVICE_ACCOUNT.namespace}`,
    `--kube-daemonset=${SERVICE_ACCOUNT.name}`,
    `--kube-node=${name}`,
    `--state-path=${statePath}`,
    '--log-format=json',
    ...flags,
  ];
}

/** A line of the JSON log: a record of a run, or what it says. */
function parseLine(line: string): { record: JournalRecord | null; text: string } {
  if (!line.startsWith('{')) return { record: null, text: line };
  const { record, msg } = JSON.parse(line) as { record?: unknown; msg?: string };
  return isRecord(record) ? { record, text: '' } : { record: null, text: msg ?? line };
}

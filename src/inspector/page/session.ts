import type { Layout } from '../../diagram/layout.ts';
import type { MachineModel } from '../../diagram/model.ts';
import type { Row, Source } from '../rows.ts';
import { type End, endingAt } from './ending.ts';
import type { OpenedFiles } from './files.ts';
import { EVERYTHING, type Filter, isEverything, passing } from './filter.ts';
import { Folder } from './folder.ts';
import { countWhile } from './halving.ts';
import { History, type Item, isRecordItem, type RecordItem } from './history.ts';
import { Verifier } from './verifier.ts';

/** Rows that come one by one as they happen are fewer. */
const BULK_ROWS = 100;

export type Machine = MachineModel & { layout: Layout };

/** `files`: what was dropped on the page stands, whatever the server sends. */
export type Connection = 'connecting' | 'open' | 'lost' | 'ended' | 'files';

/** Everything the page shows, and what a person can do with it. Tells its listeners of each change. */
export class Session {
  readonly machine: Machine;
  source: Source | null = null;
  connection: Connection = 'connecting';
  /** One line for the person: what went wrong, or what was done. */
  notice = '';
  /** How far something is read that is not shown yet, in words; '': nothing is. */
  reading = '';
  history = new History();
  folder = new Folder();
  verifier = new Verifier(this.history, this.folder);
  filter: Filter = EVERYTHING;
  /** The selected row, or -1. */
  selected = -1;
  /** The newest row is selected as they come. */
  isFollowing = true;
  isPlaying = false;
  /** The last rows were many, and more are likely to follow at once. */
  isInBulk = false;
  /** The places of the rows that pass the filter; null: all do. */
  #shown: number[] | null = null;
  /** The lines that files end ahead of, since the machine refuses them. */
  readonly #ends = new Map<number, number>();
  readonly #listeners = new Set<() => void>();

  constructor(machine: Machine) {
    this.machine = machine;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  update(change: Partial<Pick<Session, 'source' | 'connection' | 'notice' | 'reading'>>): void {
    Object.assign(this, change);
    this.isInBulk = false;
    this.#tell();
  }

  append(all: readonly Row[]): void {
    this.isInBulk = all.length >= BULK_ROWS;
    const rows = this.#ends.size > 0 ? all.filter((row) => this.#isAheadOfEnd(row)) : all;
    const from = this.history.items.length;
    this.history.append(rows);
    if (this.#shown) {
      this.#shown.push(...passing(this.history, this.filter, this.#linesAt, from));
    }
    if (this.isFollowing) this.selected = this.shownAt(this.shownCount - 1);
    this.#tell();
  }

  /** Throws away all rows. */
  clear(): void {
    this.#replace([]);
    this.#ends.clear();
    this.reading = '';
    this.filter = EVERYTHING;
    this.#shown = null;
    this.selected = -1;
    this.isFollowing = true;
    this.isPlaying = false;
    this.#tell();
  }

  /** Shows opened files instead of what was there. */
  open({ rows, sources, title }: OpenedFiles): void {
    this.clear();
    const version = this.source?.version ?? '';
    const none = { token: '', isPaced: false, isPaused: false };
    this.source = { mode: 'files', version, title, sources, ...none };
    this.connection = 'files';
    this.notice = '';
    this.append(rows);
  }

  /** Ends files where the machine was found to refuse them; tells whether some are. */
  endBroken(): boolean {
    const ends = [...this.history.streams.values()].flatMap((stream) => {
      const broken = this.folder.breakOf(stream);
      const item = broken && stream.items[broken.position];
      const end = item && endingAt(item, broken);
      return end ? [end] : [];
    });
    for (const end of ends) this.#endAt(end);
    if (ends.length === 0) return false;
    this.refilter();
    if (this.isFollowing) this.last();
    return true;
  }

  #endAt({ file, line, divergence }: End): void {
    // Another node's records have ended the file before this.
    if ((this.#ends.get(file) ?? Number.POSITIVE_INFINITY) <= line) return;
    this.#ends.set(file, line);
    const selected = this.item?.row;
    const rows = this.history.items.map(({ row }) => row).filter((row) => this.#isAheadOfEnd(row));
    const at = rows.findLastIndex((row) => row.file === file) + 1;
    this.#replace(rows.toSpliced(at, 0, divergence));
    const place = this.history.items.findIndex(({ row }) => row === selected);
    this.selected = place < 0 && selected ? at : place;
  }

  #isAheadOfEnd({ file, line = 0 }: Row): boolean {
    return file === undefined || line < (this.#ends.get(file) ?? Number.POSITIVE_INFINITY);
  }

  #replace(rows: readonly Row[]): void {
    this.history = new History();
    this.history.append(rows);
    this.folder = new Folder();
    this.verifier = new Verifier(this.history, this.folder);
  }

  /** Where histories break: as the server says, else as was found out here. */
  breaks(): { where: string; message: string; index: number }[] {
    const found: ReturnType<Session['breaks']> = [];
    for (const stream of this.history.streams.values()) {
      const { divergence, source, items } = stream;
      const broken = this.folder.breakOf(stream);
      const item = broken && items[broken.position];
      if (divergence?.row.kind === 'divergence') {
        const { line, state, message } = divergence.row;
        found.push({ where: `${source}:${line}: in ${state}`, message, index: divergence.index });
      } else if (item) {
        const { line, record } = item.row;
        const where =
          line === undefined
            ? `${source}, record ${record.seq}`
            : `${source}:${line}: in ${broken.state}`;
        found.push({ where, message: broken.message, index: item.index });
      }
    }
    return found;
  }

  get item(): Item | null {
    return this.history.items[this.selected] ?? null;
  }

  /** The record that is shown: the selected one, or the one ahead of a remark. */
  get moment(): RecordItem | null {
    const { item } = this;
    if (item === null || isRecordItem(item)) return item;
    if (item.stream) return item.stream.items.at(-1) ?? null;
    const ahead = this.history.items.slice(0, item.index).filter(isRecordItem);
    return ahead.findLast(({ node }) => node === item.node) ?? ahead.at(-1) ?? null;
  }

  get shownCount(): number {
    return this.#shown?.length ?? this.history.items.length;
  }

  /** The row at a place of the filtered list, or -1. */
  shownAt(place: number): number {
    if (this.#shown) return this.#shown[place] ?? -1;
    return place < this.history.items.length ? place : -1;
  }

  /** Where a row is in the filtered list; where it would be if it is not. */
  placeOf(index: number): number {
    if (!this.#shown) return index;
    return countWhile(this.#shown, (shown) => shown < index);
  }

  select(index: number): void {
    this.isInBulk = false;
    if (index < 0 || index >= this.history.items.length) return;
    this.selected = index;
    this.isFollowing = index === this.shownAt(this.shownCount - 1) && this.isFollowing;
    this.#tell();
  }

  /** At the end, playing begins again from the first row. */
  play(isPlaying: boolean): void {
    this.isPlaying = isPlaying;
    if (isPlaying) {
      this.isFollowing = false;
      if (this.placeOf(this.selected) >= this.shownCount - 1) this.first();
    }
    this.#tell();
  }

  /** The next row of those that are played; at the last one it stops. */
  playOn(): void {
    this.step(1);
    if (this.placeOf(this.selected) >= this.shownCount - 1) this.play(false);
  }

  /** Selects the row `by` places on, up to the ends. */
  step(by: number): void {
    const place = this.placeOf(this.selected);
    const isHidden = this.shownAt(place) !== this.selected;
    const to = place + (isHidden && by > 0 ? by - 1 : by);
    this.select(this.shownAt(Math.min(Math.max(0, to), this.shownCount - 1)));
  }

  first(): void {
    this.select(this.shownAt(0));
  }

  last(): void {
    this.select(this.shownAt(this.shownCount - 1));
  }

  follow(isFollowing: boolean): void {
    this.isFollowing = isFollowing;
    if (isFollowing) {
      this.isPlaying = false;
      this.last();
    }
    this.#tell();
  }

  narrow(change: Partial<Filter>): void {
    this.filter = { ...this.filter, ...change };
    this.refilter();
  }

  /** Filters again, with what has become known since. */
  refilter(): void {
    this.#shown = isEverything(this.filter)
      ? null
      : passing(this.history, this.filter, this.#linesAt);
    this.#tell();
  }

  linesOf(item: Item): readonly string[] {
    if (!isRecordItem(item)) return [];
    const known = this.verifier.linesAt(item.index);
    if (known) return known;
    const step = this.folder.stepAt(item);
    return typeof step === 'string' ? [] : step.lines;
  }

  readonly #linesAt = (index: number) => this.verifier.linesAt(index);

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

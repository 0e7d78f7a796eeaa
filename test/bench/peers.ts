/** The least and the most of several measurements. */
export type Range = readonly [least: number, most: number];

/** Figures of rollouts, by what a row of the table is called, then by the number of nodes. */
export type Figures = Record<string, Record<number, Range>>;

/** The Go program's and kured's, measured on 2 cores against kube-apiserver 1.34: ranges over three runs and two builds. */
export const GO_ROLLOUT: Figures = {
  'requests a node': { 10: [17, 20], 30: [41, 49], 60: [91, 95], 100: [151, 152] },
  'conflicts (409), in all': { 10: [36, 45], 30: [370, 435], 60: [1714, 1770], 100: [4866, 4870] },
  'hand-off p50, ms': { 10: [15, 21], 30: [16, 49], 60: [42, 80], 100: [43, 64] },
  'hand-off p95, ms': { 10: [33, 36], 30: [40, 117], 60: [103, 213], 100: [145, 164] },
  'whole rollout, s': { 10: [1.8, 2.5], 30: [9.2, 10.5], 60: [22.1, 22.7], 100: [38, 38] },
};

export const PROCESS: Record<string, { go: string; kured: string; bareNode: string }> = {
  'resident, waiting, MB': { go: '17 / 28', kured: '33', bareNode: '42' },
  'exec to first API request, median ms': { go: '37 / 42', kured: '48', bareNode: '40' },
};

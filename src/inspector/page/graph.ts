/** The machine as it is drawn: /machine.json. All lengths are pixels from the upper left. */
export interface Graph {
  states: GraphState[];
  transitions: GraphTransition[];
  width: number;
  height: number;
}

export interface GraphState {
  /** `locked.draining.evicting`, as journals name it. */
  id: string;
  key: string;
  /** The id of the state around it, or ''. */
  parent: string;
  type: string;
  description: string;
  entry: string[];
  invoke: string[];
  tags: string[];
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface GraphTransition {
  from: string;
  to: string;
  /** '' is taken at once. */
  event: string;
  guard: string;
  points: { x: number; y: number }[];
}

import type { AnyStateNode } from 'xstate';
import { runMachine } from '../../../machines/run.ts';
import type { RunContext } from '../../../machines/setup.ts';

type ResumePoint = NonNullable<RunContext['resumeAt']>;

/** Where runs go on that were interrupted: every place that the machine's own actions name. */
export const RESUME_POINTS: readonly ResumePoint[] = [
  ...new Set(descendants(runMachine.root as AnyStateNode).flatMap(pointsOf)),
];

function descendants(node: AnyStateNode): AnyStateNode[] {
  return [node, ...Object.values(node.states).flatMap(descendants)];
}

function pointsOf({ transitions, always = [] }: AnyStateNode): ResumePoint[] {
  const actions = [...[...transitions.values()].flat(), ...always].flatMap((one) => one.actions);
  return actions.flatMap((action) => {
    const { type, params } = action as { type?: unknown; params?: { resumeAt: ResumePoint } };
    return type === 'interrupt' && params ? [params.resumeAt] : [];
  });
}

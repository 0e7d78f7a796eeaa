import type { Bus, Call } from '../../src/host/bus.ts';

/** Connections to a bus on which each call is answered in turn; an error is thrown. */
export function busOf(...answers: (unknown[] | Error)[]) {
  const calls: Call[] = [];
  let open = 0;
  const connect = async (): Promise<Bus> => {
    open += 1;
    return {
      lost: new Promise<Error>(() => {}),
      onSignal: () => () => {},
      close: () => {
        open -= 1;
      },
      async call(call) {
        calls.push(call);
        const answer = answers.length > 1 ? answers.shift() : answers[0];
        if (answer instanceof Error) throw answer;
        return answer ?? [];
      },
    };
  };
  return { connect, calls, open: () => open };
}

/** Calls a unit of work many times, in turns that are large enough to make a commit cheap. */

/** Units in one transaction. */
const callsPerTurn = 5000;

/** Calls `unit` with each input, in order, and `onAnswer` with what it returns. */
export async function inTurns<Input, Output>(
  inputs: Iterable<Input>,
  unit: (input: Input) => Promise<Output>,
  onAnswer: (output: Output, input: Input) => void = () => undefined,
): Promise<void> {
  let turn: Input[] = [];
  const run = async (): Promise<void> => {
    const called = turn;
    turn = [];
    const answers = await Promise.all(called.map(unit));
    for (const [index, input] of called.entries()) onAnswer(answers[index] as Output, input);
  };
  for (const input of inputs) {
    turn.push(input);
    if (turn.length === callsPerTurn) await run();
  }
  await run();
}

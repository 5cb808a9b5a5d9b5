import type { Invocation } from '../command.ts'
import type { Channel } from '../terminal.ts'

/** Prints what a command has found or done: as JSON with `--json`, else as text. Returns the exit code of a success. */
export async function printResult(
  { flags, runtime }: Invocation,
  value: object,
  toText: (out: Channel) => string,
): Promise<number> {
  const { out } = runtime.terminal
  await out.write(flags.isOn('json') ? `${JSON.stringify(value, null, 2)}\n` : toText(out))
  return 0
}

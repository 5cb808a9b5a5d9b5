/** Finds in the end of an agent's error output what it says of its failure. */

/** Lines that agents print whether or not anything is wrong, and the frames of stack traces. */
const NOISE = [
  /^WARNING: proceeding, even though/,
  /^warning: Codex could not find bubblewrap/,
  /^Reading (?:additional input|prompt) from stdin/,
  /^Ripgrep is not available/,
  /^YOLO mode is enabled/,
  /^\[STARTUP\]/,
  /^Loaded cached credentials/,
  /^Warning: .*color/,
  /^Permission deny rule/,
  /^Attempt \d+ failed/,
  /^Error executing tool/,
  /^An unexpected critical error occurred/,
  /^\s+at /,
]

/** Lines of which one is the whole message; the rest is usage text, a banner or the same once more. */
const TELLING = [
  /^(?:\[ERROR\]|ERROR:|Error:|error:) *(\S.*)$/,
  /^(No conversation found.*|Error resuming session:.*|Unknown arguments?:.*|turn interrupted)$/,
  /Full report available at: \S+ (.+)$/,
]

const LIMIT = 2000

/** Undefined when it says nothing but noise. */
export function stderrMessage(stderrTail: string): string | undefined {
  const lines = stderrTail.split(/\r?\n/).filter((line) => !NOISE.some((noise) => noise.test(line)))
  const told = lines.findLast((line) => TELLING.some((telling) => telling.test(line)))
  if (told !== undefined) return TELLING.map((telling) => telling.exec(told)?.[1]).find((text) => text !== undefined)
  return lines.join('\n').trim().slice(-LIMIT) || undefined
}

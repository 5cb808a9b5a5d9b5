/** Finds the message about a failure at the end of an agent's stderr. */

/** Lines that agents print even when nothing is wrong, and stack frames. */
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

/** Lines that are the whole message; the other lines are usage text, a banner or a repetition. */
const MESSAGES = [
  /^(?:\[ERROR\]|ERROR:|Error:|error:) *(\S.*)$/,
  /^(No conversation found.*|Error resuming session:.*|Unknown arguments?:.*|turn interrupted)$/,
  /Full report available at: \S+ (.+)$/,
]

const LIMIT = 2000

/** Undefined if there is only noise. */
export function stderrMessage(stderrTail: string): string | undefined {
  const lines = stderrTail.split(/\r?\n/).filter((line) => !NOISE.some((noise) => noise.test(line)))
  const line = lines.findLast((each) => MESSAGES.some((message) => message.test(each)))
  if (line !== undefined) return MESSAGES.map((message) => message.exec(line)?.[1]).find((text) => text !== undefined)
  return lines.join('\n').trim().slice(-LIMIT) || undefined
}

/** The first line of the goal that has words, without the marks of a heading. A goal can be a whole document. */
export function titleOfGoal(goal: string): string {
  const lines = goal.split(/[\r\n]+/).map((line) =>
    line
      .replace(/^\s*#{1,6}(?=\s)/, '')
      .replace(/\p{Cc}/gu, ' ')
      .trim(),
  )
  return lines.find((line) => /[\p{L}\p{N}]/u.test(line)) ?? lines.find((line) => line !== '') ?? ''
}

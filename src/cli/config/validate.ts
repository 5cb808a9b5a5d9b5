import { type ConfigProblem, configInvalid } from '../../config/faults.ts'
import { formatOrigin } from '../../config/origin.ts'
import { readConfig } from '../../config/read-config.ts'
import { Fault } from '../../kit/fault.ts'
import type { Invocation, Run } from '../command.ts'
import { configEnvironmentOf } from '../settings.ts'

type Verdict = { file: string; exists: boolean; problems: readonly ConfigProblem[]; warnings: readonly string[] }

/** The verdict is the result, so it goes to stdout whichever way it falls; the exit code tells a script. */
export const run: Run = async (invocation) => {
  const { flags, runtime } = invocation
  const verdict = await judge(invocation)
  const isValid = verdict.problems.length === 0
  await runtime.terminal.out.write(
    flags.isOn('json') ? `${JSON.stringify({ valid: isValid, ...verdict }, null, 2)}\n` : inWords(verdict),
  )
  return isValid ? 0 : 1
}

async function judge(invocation: Invocation): Promise<Verdict> {
  try {
    const { file, warnings } = await readConfig(configEnvironmentOf(invocation))
    return { file: file.path, exists: file.exists, problems: [], warnings }
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== configInvalid.code) throw error
    const { file, problems } = error.details as { file: string; problems: readonly ConfigProblem[] }
    return { file, exists: true, problems, warnings: [] }
  }
}

function inWords({ file, exists, problems, warnings }: Verdict): string {
  const what = exists ? file : `${file} does not exist, so every setting has its default value; this`
  const lines =
    problems.length === 0
      ? [`${what} is valid`]
      : problems.map(({ key, rule, origin }) => [`${formatOrigin(origin)}:`, key, rule].filter(Boolean).join(' '))
  return [...lines, ...warnings.map((warning) => `warning: ${warning}`), ''].join('\n')
}
